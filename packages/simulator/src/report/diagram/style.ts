// The colours of diagrams as CSS custom properties, dark and light. A page may set the properties
// itself; all rules begin with the diagram's class, so that nothing else on a page is touched.

import { FONT_PX } from "./text.js";

export const DIAGRAM_CLASS = "onceproof-diagram";

const LIGHT = `--paper:#ffffff;--ink:#1f2430;--soft:#5b6475;--line:#c5cbd6;--ask:#2456a8;--answer:#3f6b46;
--bad:#b3261e;--badwash:#fbe3e1;--calm:#e9edf5;--still:#f0d998;--cut:#f9e4d8;
--t0:#2f6fd0;--t1:#b4620c;--t2:#7b4bb8;--t3:#0f7f78;--t4:#a8327a`;
const DARK = `--paper:#14171d;--ink:#e6e9ef;--soft:#a0a9b9;--line:#3d4553;--ask:#8db8ff;--answer:#8fcf9a;
--bad:#ff8f85;--badwash:#5c2626;--calm:#232935;--still:#54461c;--cut:#40291c;
--t0:#6aa4ff;--t1:#f0a24a;--t2:#bd94f5;--t3:#4fc9c0;--t4:#ee85c3`;

const FONT = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";

/** The style sheet of diagrams; `drawDiagram` puts it into each. */
export const DIAGRAM_STYLE: string = [
  `.D{${LIGHT};color-scheme:light dark;background:var(--paper)}`,
  `@media (prefers-color-scheme:dark){.D{${DARK}}}`,
  `.D text{font:${FONT_PX}px ${FONT};fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round;white-space:pre}`,
  ".D .name{font-weight:700;font-size:12px}",
  ".D .time,.D .gap,.D .note{fill:var(--soft)}",
  ".D .gap{font-weight:700}",
  ".D .ask{fill:var(--ask)}.D .answer{fill:var(--answer)}",
  ".D .fault,.D .again{fill:var(--bad);font-weight:700}",
  ".D .operation{font-weight:700}",
  ".D .lane{stroke:var(--line);stroke-width:1.5}",
  ".D .break{fill:var(--paper)}.D .breakline{stroke:var(--soft);stroke-dasharray:2 5}",
  ".D .arrow path{fill:none;stroke:var(--ask);stroke-width:1.3}",
  ".D .arrow .head{fill:var(--ask);stroke:none}",
  ".D .reply path{stroke:var(--answer)}.D .reply .head{fill:var(--answer)}",
  ".D .held path{stroke-dasharray:6 4}.D .copy path{stroke-dasharray:2 3}",
  ".D .arrow .hollow{fill:var(--paper);stroke:var(--soft);stroke-dasharray:none}",
  ".D .lost path{stroke:var(--bad)}.D .lost .cross{stroke-width:2.4;stroke-dasharray:none}",
  ".D .hot path{stroke:var(--bad);stroke-width:2.4}.D .hot .head{fill:var(--bad)}",
  ".D .bar{fill:var(--soft);stroke:var(--paper);stroke-width:.6}.D .bar.hot{stroke:var(--bad);stroke-width:2}",
  ".D .dot{stroke:var(--soft);fill:var(--soft);stroke-width:2}",
  ...[0, 1, 2, 3, 4].map((n) => `.D .t${n}{fill:var(--t${n})}.D .dot.t${n}{stroke:var(--t${n})}`),
  ".D .dot.refused{fill:var(--paper)}.D .dot.hot{stroke:var(--bad)}.D .ring{fill:none;stroke:var(--bad);stroke-width:2}",
  ".D .shade{fill-opacity:.75}.D .down{fill:var(--badwash)}.D .paused,.D .suspended{fill:var(--still)}.D .cut{fill:var(--cut)}",
  ".D .mark{stroke:var(--bad);stroke-width:3}.D .healed{stroke:var(--soft);stroke-width:1;stroke-dasharray:8 4}",
]
  .join("\n")
  .replaceAll(".D", `.${DIAGRAM_CLASS}`);
