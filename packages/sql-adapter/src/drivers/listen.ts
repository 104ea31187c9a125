// How a driver of Postgres hears notifications; each does it in its own way.

/**
 * Listens on a channel until what it returns is called. `onLost` tells that the connection is gone
 * and nothing more will be heard; drivers that connect again by themselves never call it.
 */
export type Listen = (
  channel: string,
  onPayload: (payload: string) => void,
  onLost: () => void,
) => Promise<() => void>;
