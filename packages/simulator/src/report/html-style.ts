// How the report looks, dark and light, on wide and narrow screens; and its small script, without
// which everything is still there to read.

export const REPORT_STYLE: string = `
:root{color-scheme:light dark;--bg:#ffffff;--fg:#1b2029;--soft:#576072;--rule:#d9dee7;--card:#f6f8fb;--link:#1d4fa3;
--holds:#dcf0df;--holds-ink:#1c5a2a;--lost:#fdebc8;--lost-ink:#764a00;--notLost:#e0edf7;--notLost-ink:#1f4f75;
--violated:#b3261e;--violated-ink:#ffffff;--notFound:#7a2c86;--notFound-ink:#ffffff;--untried:transparent;--untried-ink:#6a7283}
@media (prefers-color-scheme:dark){:root{--bg:#14171d;--fg:#e6e9ef;--soft:#a3acbc;--rule:#333b48;--card:#1b2027;--link:#8db8ff;
--holds:#1d3a26;--holds-ink:#a5dfb3;--lost:#43340f;--lost-ink:#f3cf86;--notLost:#1c3446;--notLost-ink:#a6d0f0;
--violated:#d2463c;--violated-ink:#ffffff;--notFound:#9a4aa8;--notFound-ink:#ffffff;--untried-ink:#8b94a4}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1320px;margin:0 auto;padding:20px 24px 80px}
h1{font-size:1.7rem;line-height:1.2;margin:.3em 0}h2{font-size:1.3rem;margin:2em 0 .4em;padding-top:.4em;border-top:1px solid var(--rule)}
h3{font-size:1.05rem;margin:1.6em 0 .4em}h4{font-size:.95rem;margin:1.1em 0 .3em}
p{margin:.4em 0;max-width:75ch;overflow-wrap:anywhere}a{color:var(--link)}.soft{color:var(--soft)}
code,pre{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.85em}
code{overflow-wrap:anywhere}
.scroll{overflow-x:auto;max-width:100%;border:1px solid var(--rule);border-radius:6px;margin:.5em 0 1em}
table{border-collapse:collapse;font-size:.86rem;width:100%;min-width:760px}
th,td{padding:5px 8px;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top}
thead th{background:var(--card);font-weight:600;white-space:nowrap}
.scroll .sentence{background:var(--card);font-weight:400;white-space:normal}
.sentence div{position:sticky;left:8px;width:fit-content;max-width:min(100ch,100vw - 64px);overflow-wrap:anywhere}
.sentence div>code{display:block}
.sentence code{color:var(--soft)}
tbody tr:last-child>*{border-bottom:0}th.profile{font-weight:500;white-space:nowrap;position:sticky;left:0;background:var(--bg)}
td.cell{white-space:nowrap;min-width:68px}
.cell a{color:inherit}.cell b{display:inline-block;min-width:1.5em}
${["holds", "lost", "notLost", "violated", "notFound", "untried"]
  .map((verdict) => `.${verdict}{background:var(--${verdict});color:var(--${verdict}-ink)}`)
  .join("\n")}
.legend{display:grid;grid-template-columns:max-content 1fr;gap:6px 12px;margin:.6em 0;align-items:baseline}
.legend dt{padding:0 8px;border-radius:4px;font-weight:700;text-align:center}.legend dd{margin:0}
.facts{display:flex;flex-wrap:wrap;gap:6px 20px;padding:0;margin:.6em 0;list-style:none}
.tools{display:flex;flex-wrap:wrap;gap:8px;margin:1em 0}.tools[hidden]{display:none}
.tools input{flex:1 1 220px;min-width:0;max-width:420px}
.tools input,.tools button{font:inherit;padding:6px 10px;border:1px solid var(--rule);border-radius:6px;background:var(--card);color:var(--fg)}
.warning{border:2px solid var(--violated);border-radius:6px;padding:8px 12px;margin:1em 0}
.tag{display:inline-block;padding:0 8px;border-radius:4px;font-weight:700;font-size:.85rem}
details.violation{border:1px solid var(--rule);border-radius:8px;margin:.7em 0;padding:0 14px;background:var(--bg)}
details.violation[open]{padding-bottom:14px}
details.violation>summary{cursor:pointer;padding:10px 0;overflow-wrap:anywhere}
details.violation:target{outline:2px solid var(--link)}
blockquote{margin:.4em 0;padding:.1em 0 .1em 12px;border-left:3px solid var(--rule)}
ol.plan{margin:.3em 0;padding-left:1.5em}ol.plan li{overflow-wrap:anywhere}
pre{margin:0;padding:10px 12px;line-height:1.5;overflow-x:auto}
.story .line{display:block;white-space:pre-wrap;overflow-wrap:anywhere;padding-left:15ch;text-indent:-15ch}
.story .fault,.story .again{color:var(--violated);font-weight:700}
@media (prefers-color-scheme:dark){.story .fault,.story .again{color:#ff8f85}}
.diagram svg{display:block;width:100%;height:auto}
footer{margin-top:3em;color:var(--soft);font-size:.9rem}
@media (max-width:600px){main{padding:12px 14px 60px}h1{font-size:1.35rem}details.violation{padding:0 10px}.story .line{padding-left:3ch;text-indent:-3ch}}
@media print{.tools{display:none}.scroll{overflow:visible}}
`.trim();

/** Filters by words, opens and closes, and opens what a link leads to. */
export const REPORT_SCRIPT: string = `
(() => {
  const tools = document.querySelector(".tools");
  const all = [...document.querySelectorAll("details.violation")];
  const rows = [...document.querySelectorAll("tr[data-words],details[data-words],section[data-words]")];
  const open = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
  };
  const filter = () => {
    const words = tools.querySelector("input").value.toLowerCase().split(/\\s+/).filter(Boolean);
    for (const row of rows) {
      row.hidden = !words.every((word) => row.dataset.words.toLowerCase().includes(word));
    }
  };
  tools.hidden = false;
  tools.querySelector("input").addEventListener("input", filter);
  tools.querySelector("[data-open]").addEventListener("click", () => { for (const each of all) each.open = true; });
  tools.querySelector("[data-close]").addEventListener("click", () => { for (const each of all) each.open = false; });
  addEventListener("hashchange", open);
  open();
})();
`.trim();
