// How a report looks: in light and dark, on paper, and on a narrow screen.

export const REPORT_STYLE = `
:root{color-scheme:light dark;--canvas:oklch(0.984 0.003 130);--surface:#fff;--sunken:oklch(0.955 0.006 130);--line:oklch(0.905 0.007 130);--ink:oklch(0.23 0.012 150);--soft:oklch(0.43 0.014 150);--faint:oklch(0.505 0.014 150);--accent:oklch(0.56 0.12 150);--accent-ink:oklch(0.47 0.105 150);--c1:oklch(0.56 0.12 150);--c2:oklch(0.62 0.12 230);--c3:oklch(0.76 0.13 88);--c4:oklch(0.62 0.13 35);--c5:oklch(0.55 0.12 300);--c6:oklch(0.7 0.1 190);--c7:oklch(0.66 0.13 355);--c8:oklch(0.72 0.12 120);--c0:oklch(0.78 0.01 140);--shade:oklch(0.49 0.105 150);--on:oklch(0.99 0.01 140);--edge:#fff}
@media (prefers-color-scheme:dark){:root{--canvas:oklch(0.162 0.006 150);--surface:oklch(0.196 0.007 150);--sunken:oklch(0.245 0.009 150);--line:oklch(0.285 0.01 150);--ink:oklch(0.955 0.006 130);--soft:oklch(0.77 0.012 140);--faint:oklch(0.68 0.014 145);--accent:oklch(0.74 0.14 147);--accent-ink:oklch(0.78 0.14 147);--c1:oklch(0.74 0.14 147);--c2:oklch(0.72 0.12 235);--c3:oklch(0.82 0.13 88);--c4:oklch(0.72 0.13 38);--c5:oklch(0.7 0.12 300);--c6:oklch(0.78 0.1 190);--c7:oklch(0.74 0.13 355);--c8:oklch(0.8 0.12 120);--c0:oklch(0.5 0.01 140);--shade:oklch(0.47 0.09 150);--on:oklch(0.98 0.01 140);--edge:oklch(0.196 0.007 150)}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--canvas);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;font-variant-numeric:tabular-nums;-webkit-font-smoothing:antialiased}
main{max-width:1080px;margin:0 auto;padding:48px 24px 24px;display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:20px}
header,.tiles,.wide{grid-column:1/-1}
.over{margin:0;color:var(--accent-ink);font-size:12px;font-weight:600;letter-spacing:.08em;text-transform:uppercase}
h1{margin:4px 0 0;font-size:clamp(28px,5vw,40px);line-height:1.15;letter-spacing:-.022em;font-weight:650;overflow-wrap:anywhere}
.address{margin:6px 0 0;color:var(--faint);overflow-wrap:anywhere}
.commit{margin:14px 0 0;display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline;color:var(--soft);overflow-wrap:anywhere}
.subject{margin:8px 0 0;font-size:16px;color:var(--soft);overflow-wrap:anywhere}
.commit time{color:var(--faint)}
code{font:13px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace;overflow-wrap:anywhere}
.commit code,.chip{background:var(--sunken);border-radius:6px;padding:1px 7px;color:var(--ink);font-size:13px}
.tiles{margin:8px 0 0;display:flex;flex-wrap:wrap;background:var(--surface);border:1px solid var(--line);border-radius:12px;overflow:hidden}
.tiles div{flex:1 1 auto;min-width:120px;padding:16px 20px;box-shadow:1px 0 0 var(--line),0 1px 0 var(--line)}
dt{color:var(--faint);font-size:13px}
dd{margin:2px 0 0;font-size:22px;line-height:1.25;font-weight:600;letter-spacing:-.01em}
.tiles div:last-child dd{font-size:15px;line-height:27px;letter-spacing:0;white-space:nowrap}
section{background:var(--surface);border:1px solid var(--line);border-radius:12px;padding:22px 24px 24px;min-width:0}
h2{margin:0;font-size:17px;font-weight:620;letter-spacing:-.01em}
.sub{margin:1px 0 18px;color:var(--faint);font-size:13px}
.note{margin:14px 0 0;color:var(--faint);font-size:13px}
small{font-size:12px;color:var(--faint)}
svg{display:block}
.bar{fill:var(--accent)}
.track{fill:var(--sunken)}
.hit{fill:transparent}
g:hover>.hit{fill:var(--sunken)}
.timeline{padding-left:44px}
.plot{position:relative;height:200px}
.plot svg{position:relative;width:100%;height:100%}
.grid{position:absolute;left:0;right:0;border-top:1px solid var(--line)}
.grid b{position:absolute;right:100%;top:-.75em;margin-right:10px;font-size:12px;font-weight:400;line-height:1.5;color:var(--faint)}
.ticks{position:relative;height:26px}
.ticks span{position:absolute;top:8px;transform:translateX(-50%);font-size:12px;line-height:1.5;color:var(--faint);white-space:nowrap}
.rows{list-style:none;margin:0;padding:0;display:grid;gap:13px}
.rows li{display:grid;align-items:center;gap:5px 14px}
.authors li{grid-template-columns:minmax(0,1fr) 96px 58px}
.files li{grid-template-columns:minmax(0,1fr) 58px}
.wide .files{grid-template-columns:repeat(2,minmax(0,1fr));gap:13px 32px}
.line{grid-column:1/-1;width:100%;height:4px;border-radius:2px;overflow:hidden}
.spark{width:96px;height:20px;opacity:.72}
.who{min-width:0;line-height:1.3}
.who bdi{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-weight:550}
.figure{text-align:right;line-height:1.3}
.figure b{display:block;font-weight:600}
.path{display:flex;min-width:0;white-space:nowrap}
.path i{flex:0 1 auto;min-width:0;overflow:hidden;text-overflow:ellipsis;font-style:normal;color:var(--faint)}
.path b{flex:0 0 auto;max-width:100%;overflow:hidden;text-overflow:ellipsis;font-weight:550}
.stack{width:100%;height:16px;border-radius:5px;overflow:hidden}
.legend{list-style:none;margin:18px 0 0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(210px,1fr));gap:12px 24px}
.legend li{display:grid;grid-template-columns:10px minmax(0,1fr) auto;gap:0 9px;align-items:center;line-height:1.35}
.legend svg{width:10px;height:10px}
.legend span,.legend b{font-weight:550}
.legend small{grid-column:2/-1}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}.c6{fill:var(--c6)}.c7{fill:var(--c7)}.c8{fill:var(--c8)}
.map{position:relative;height:380px;border-radius:8px;overflow:hidden}
.map svg{width:100%;height:100%}
.area{fill:var(--shade)}
.s1{fill-opacity:.96}.s2{fill-opacity:.9}.s3{fill-opacity:.93}.s4{fill-opacity:.87}
.inner{fill:none;stroke:var(--edge);stroke-opacity:.26;stroke-width:1;vector-effect:non-scaling-stroke}
.edge{fill:none;stroke:var(--edge);stroke-width:2.5;vector-effect:non-scaling-stroke}
g:hover>.area{fill-opacity:1;filter:brightness(1.08)}
.label{position:absolute;container-type:size;padding:8px 10px;overflow:hidden;color:var(--on);line-height:1.3;pointer-events:none;font-size:13px}
.label b{display:block;font-weight:600;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.label small{color:inherit;opacity:.9;white-space:nowrap}
@container (max-width:62px) or (max-height:18px){.label>*{display:none}}
@container (max-height:36px){.label>small{display:none!important}}
details{margin-top:16px;font-size:13px}
summary{display:inline-block;cursor:pointer;color:var(--soft);text-decoration:underline;text-decoration-color:var(--line);text-underline-offset:3px;border-radius:4px}
summary:hover{color:var(--ink)}
summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:3px}
.scroll{margin-top:10px;max-height:340px;overflow:auto;border:1px solid var(--line);border-radius:8px}
table{width:100%;border-collapse:collapse}
th,td{padding:6px 12px;text-align:right;border-top:1px solid var(--line);font-weight:400;white-space:nowrap}
th:first-child{text-align:left;white-space:normal;overflow-wrap:anywhere}
thead th{position:sticky;top:0;background:var(--sunken);color:var(--soft);border-top:0}
footer{max-width:1080px;margin:0 auto;padding:4px 24px 48px;color:var(--faint);font-size:13px}
@media (max-width:760px){main{grid-template-columns:minmax(0,1fr);padding:28px 16px 16px;gap:14px}section{padding:18px 16px 20px}.tiles div{flex:1 1 40%;padding:12px 16px}.tiles div:last-child{flex-basis:100%}.plot{height:160px}.map{height:440px}.many span:nth-child(even){display:none}.authors li{grid-template-columns:minmax(0,1fr) 64px 52px}.spark{width:64px}.legend,.wide .files{grid-template-columns:minmax(0,1fr)}footer{padding:4px 16px 32px}}
@media print{:root{--canvas:#fff}body{font-size:11pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}main{padding:0;gap:12px}section,.tiles{break-inside:avoid;box-shadow:none}details{display:none}footer{padding:8px 0 0}.plot{height:150px}.map{height:300px}}
@media (prefers-reduced-motion:no-preference){.bar,.area{transition:fill-opacity .12s}}
`;
