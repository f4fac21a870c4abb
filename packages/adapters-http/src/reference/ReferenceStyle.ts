/** The style sheet of the API reference, in the colors of the web console. */
export const referenceStyle = `
:root{color-scheme:light;--bg:#f5f6f9;--surface:#fff;--sunken:#eef0f5;--border:#dce0e8;--strong:#868e9f;--text:#161a25;--dim:#565e71;--accent:#3344bd;--fill:#3b4cca;--ok:#17693a;--warn:#7a4f00;--bad:#a81e18}
:root[data-theme=dark]{color-scheme:dark;--bg:#0e1118;--surface:#161a24;--sunken:#1d2230;--border:#2b3142;--strong:#747d92;--text:#e7eaf1;--dim:#a2abbd;--accent:#a5b1ff;--fill:#4757d6;--ok:#63d596;--warn:#f2bf63;--bad:#ff8f87}
@media (prefers-color-scheme:dark){:root:not([data-theme]){color-scheme:dark;--bg:#0e1118;--surface:#161a24;--sunken:#1d2230;--border:#2b3142;--strong:#747d92;--text:#e7eaf1;--dim:#a2abbd;--accent:#a5b1ff;--fill:#4757d6;--ok:#63d596;--warn:#f2bf63;--bad:#ff8f87}}
*{box-sizing:border-box}
html{scroll-padding-top:72px;scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--bg);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
h1,h2,h3,h4,h5{line-height:1.25;margin:24px 0 8px;letter-spacing:-.01em}
h1{font-size:1.6rem;margin-top:0}h2{font-size:1.25rem;margin-top:40px}h3{font-size:1.05rem;margin:0}h4,h5{font-size:.9rem;margin:16px 0 4px}
p{margin:4px 0 8px;max-width:80ch}
a{color:var(--accent);text-decoration:none}a:hover,p a,li .type a{text-decoration:underline;text-underline-offset:.15em}
h3 a{color:inherit}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
code,pre,textarea{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
pre{background:var(--sunken);border:1px solid var(--border);border-radius:8px;padding:12px;max-height:420px;overflow:auto;margin:8px 0;white-space:pre-wrap}
body>header{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;padding:8px 24px;background:var(--surface);border-block-end:1px solid var(--border)}
body>header strong{margin-inline-end:auto}
.skip{position:absolute;inset-inline-start:-999px}.skip:focus{inset-inline-start:8px;background:var(--surface);padding:8px}
.layout{display:grid;grid-template-columns:300px minmax(0,1fr);gap:32px;max-width:1320px;margin:0 auto;padding:24px}
nav{position:sticky;top:72px;align-self:start;max-height:calc(100dvh - 96px);overflow:auto;font-size:.9rem}
nav summary{font-weight:600;padding:4px 0}
nav ul{list-style:none;margin:0 0 8px;padding:0}
nav li a{display:flex;justify-content:space-between;gap:8px;padding:4px 8px;border-radius:6px;color:var(--text)}
nav li a:hover{background:var(--sunken)}
nav h2{font-size:.86rem;color:var(--dim);margin:12px 0 4px;padding-inline-start:8px}
.operation,.component{background:var(--surface);border:1px solid var(--border);border-radius:8px;padding:16px 20px;margin:16px 0;content-visibility:auto;contain-intrinsic-size:auto 700px}
.component{contain-intrinsic-size:auto 240px}
.method{white-space:nowrap;overflow-wrap:normal;font:600 .74rem/1.6 ui-monospace,Menlo,Consolas,monospace;color:var(--ok)}
.method.post,.method.put{color:var(--accent)}.method.delete{color:var(--bad)}
.dim,.limits,.type{color:var(--dim)}.dim{font-size:.9rem}.type{font-size:.86rem}
.required{color:var(--warn);font-size:.86rem}
.name,.status{font-weight:600}
ul.properties,ul.responses{list-style:none;margin:0;padding:0}
ul.properties>li,ul.responses>li{padding:6px 0;border-block-start:1px solid var(--border)}
ul.properties ul.properties{margin-inline-start:16px}
summary{cursor:pointer;color:var(--accent);width:fit-content}
.try{margin-block-start:16px;border-block-start:1px solid var(--border);padding-block-start:12px}
.try>summary{font-weight:600}
form{display:flex;flex-wrap:wrap;gap:12px;align-items:end;margin:8px 0}
form p{flex-basis:100%}
label{display:grid;gap:4px;flex:1 1 200px;font-size:.86rem;font-weight:500}
.wide{flex-basis:100%}
input,select,textarea,button{font-size:.93rem;color:var(--text);background:var(--surface);border:1px solid var(--strong);border-radius:8px;padding:6px 10px;min-height:36px;width:100%;min-width:0}
input,select,button{font-family:inherit}
header select{width:auto}
button{width:auto;background:var(--fill);border-color:var(--fill);color:#fff;font-weight:600;cursor:pointer}
button:disabled{opacity:.6}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
[hidden]{display:none!important}
@media (max-width:820px){.layout{grid-template-columns:minmax(0,1fr);gap:8px;padding:16px}nav{position:static;max-height:none}body>header{padding:8px 16px;position:static}html{scroll-padding-top:8px}}
@media print{nav,.try,body>header{display:none}.layout{display:block}.operation,.component{content-visibility:visible}}
`
