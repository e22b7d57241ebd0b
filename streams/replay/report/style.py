"""How the page of a comparison looks: by day, in the dark, and on paper."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1d2430; --soft: #5d6878; --rule: #d6dbe2; --panel: #f5f7f9;
  --before: #6b7788; --after: #1f6fc4; --bad: #b8402a; --good: #23805a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181e; --ink: #e4e8ee; --soft: #9aa5b4; --rule: #343c48; --panel: #1c222a;
    --before: #9aa7b8; --after: #6cb0f5; --bad: #f08a72; --good: #67c79b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif;
}
main { max-width: 66rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem; }
h2 {
  font-size: 1.25rem; margin: 3rem 0 .75rem; padding-top: 1rem;
  border-top: 2px solid var(--rule);
}
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; }
.notes { margin: 0; padding: .6rem 1rem .6rem 2rem; background: var(--panel); border-radius: 6px; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; }
figure { margin: 0; flex: 0 1 320px; }
figcaption { color: var(--soft); font-size: .85rem; }
svg { max-width: 100%; height: auto; display: block; }
svg text { fill: var(--ink); font-family: system-ui, sans-serif; }
.axis { stroke: var(--soft); }
.whisker { stroke-width: 2; }
line.before { stroke: var(--before); }
line.after { stroke: var(--after); }
circle.before, .agreed { fill: var(--before); }
circle.after { fill: var(--after); }
.flipped, .fell { fill: var(--bad); }
.rose { fill: var(--good); }
table { border-collapse: collapse; font-size: .92rem; }
th, td {
  text-align: left; vertical-align: top; padding: .25rem 1.5rem .25rem 0;
  border-bottom: 1px solid var(--rule); overflow-wrap: anywhere;
}
th { font-weight: 400; color: var(--soft); }
article {
  margin: .75rem 0; padding: .6rem 1rem; background: var(--panel);
  border-left: 4px solid var(--good); border-radius: 0 6px 6px 0;
}
article.to-bad { border-left-color: var(--bad); }
article h4 { margin: 0 0 .4rem; font-size: .95rem; }
.sides {
  display: grid; gap: .5rem 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr));
}
.sides p, .sides blockquote { margin: .2rem 0; overflow-wrap: anywhere; }
.sides blockquote { padding-left: .7rem; border-left: 2px solid var(--rule); }
.soft { color: var(--soft); font-size: .88rem; }
@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --ink: #000; --soft: #444; --rule: #bbb; --panel: #fff;
    --before: #6b7788; --after: #1f6fc4; --bad: #b8402a; --good: #23805a;
  }
  main { max-width: none; padding: 0; }
  article, figure, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  article, .cell, .bar, .dot { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
