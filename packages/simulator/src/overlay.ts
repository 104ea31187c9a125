// A store with some of its members replaced and everything else as it was. A proxy, since whatever
// optional capabilities the inner store has must stay, and those it lacks must stay absent.

/** Replaces members of `inner`; an override of a member that `inner` lacks is left out. */
export function overlay<S extends object>(inner: S, overrides: object): S {
  return new Proxy(inner, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (member !== undefined && Object.hasOwn(overrides, property)) {
        return Reflect.get(overrides, property);
      }
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
