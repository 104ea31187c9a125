// A strict check that a text is well-formed XML, as far as our SVG uses it: no document type, no
// comments, double-quoted attributes, the five entities.
const ATTRIBUTE = /^\s+([a-zA-Z_:][\w:.-]*)="([^"<]*)"/;
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/;

/** Says what is wrong, with what stands around it; undefined if nothing is. */
export function malformed(text: string): string | undefined {
  const open: string[] = [];
  let rest = text;
  const wrong = (what: string): string => `${what} at ${JSON.stringify(rest.slice(0, 80))}`;
  while (rest !== "") {
    const textEnd = rest.indexOf("<");
    const plain = textEnd < 0 ? rest : rest.slice(0, textEnd);
    if (ENTITY.test(plain) || plain.includes("]]>")) return wrong("bad text");
    if (open.length === 0 && plain.trim() !== "") return wrong("text outside");
    rest = rest.slice(plain.length);
    if (rest === "") break;
    const close = /^<\/([a-zA-Z][\w:.-]*)>/.exec(rest);
    if (close !== null) {
      if (open.pop() !== close[1]) return wrong("closes another");
      rest = rest.slice(close[0].length);
      continue;
    }
    const begin = /^<([a-zA-Z][\w:.-]*)/.exec(rest);
    if (begin === null) return wrong("no tag");
    if (open.length === 0 && rest !== text) return wrong("second root");
    rest = rest.slice(begin[0].length);
    const seen = new Set<string>();
    for (let found = ATTRIBUTE.exec(rest); found !== null; found = ATTRIBUTE.exec(rest)) {
      const [whole, name = "", value = ""] = found;
      if (seen.has(name) || ENTITY.test(value)) return wrong("bad attribute");
      seen.add(name);
      rest = rest.slice(whole.length);
    }
    const end = /^\s*(\/?)>/.exec(rest);
    if (end === null) return wrong("bad end of tag");
    if (end[1] === "") open.push(begin[1]!);
    rest = rest.slice(end[0].length);
  }
  return open.length === 0 ? undefined : `never closed: ${open.join(", ")}`;
}
