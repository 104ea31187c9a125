// Colours for a terminal; plain text for pipes and NO_COLOR, which `styleText` knows by its stream.

import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

export function createPaint(stream: NodeJS.WriteStream): Paint {
  const paint = (format: Format) => (text: string) => styleText(format, text, { stream });
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
  };
}
