// Texts that would act or deface where they are not taken as text: in a page, in a terminal, in Markdown. Each one that
// would run something sets the title to `pwned`.
const act = "document.title='pwned'"

const scripts = [
  `<script>${act}</script>`,
  `</script><script>${act}</script>`,
  `</pre></details></main><img src=x onerror="${act}">`,
  `<svg onload=${act}>`,
  `<svg><script>${act}</script></svg>`,
  `<svg><animate onbegin=${act} attributeName=x dur=1s>`,
  `<a href="javascript:${act}">click</a>`,
  `[click](javascript:${act})`,
  `<a href="data:text/html,<script>parent.${act}</script>">x</a>`,
  `<iframe srcdoc='<script>parent.${act}</script>'></iframe>`,
  `<iframe src="javascript:parent.${act}"></iframe>`,
  `<object data="javascript:${act}"></object>`,
  `<embed src="javascript:${act}">`,
  `<form action="javascript:${act}"><button>send</button></form>`,
  `<button formaction="javascript:${act}" form=status>x</button>`,
  `<input autofocus onfocus="${act}">`,
  `<video><source onerror="${act}"></video>`,
  `<details open ontoggle="${act}">`,
  `<body onload="${act}">`,
  `<marquee onstart="${act}">`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${act}">`,
  `<template><script>${act}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${act}>">`,
  `<textarea></textarea><script>${act}</script>`,
  `<title></title><script>${act}</script>`,
  `<!--><script>${act}</script>-->`,
  `<![CDATA[<script>${act}</script>]]>`,
  `'" onmouseover=${act} x='`,
  `"autofocus onfocus=${act} x="`,
  "`${document.title='pwned'}`",
  `{{constructor.constructor("${act}")()}}`,
  `\\u003cscript\\u003e${act}\\u003c/script\\u003e`,
  `&lt;script&gt;${act}&lt;/script&gt;`,
  `&#60;script&#62;${act}&#60;/script&#62;`,
  `"}</script><script>${act}</script>`,
  `__proto__`,
  `constructor`
]

const defacing = [
  "<style>*{display:none !important}</style>",
  "<link rel=stylesheet href=https://example.com/x.css>",
  "<meta http-equiv=refresh content='0;url=https://example.com'>",
  "<base href=https://example.com>",
  "</main><h1>Everything is fine</h1>",
  "<plaintext>",
  "<!--",
  "]]>",
  "<dialog open>Log in again</dialog>",
  "<p style='position:fixed;inset:0;background:red'>"
]

const hiding = [
  "\u202Eexe.txt",
  "\u2066isolated\u2069",
  "\u200B\u200B\u200B",
  "\u0000\u0001\u0007\u0008",
  "\u001b[2J\u001b[H\u001b]0;pwned\u0007",
  "\u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007",
  "\u009b31m",
  "\u2028\u2029",
  "\uFDD0\uFFFE",
  "a\u0300".repeat(400),
  "\u{E0041}\u{E0042}",
  "\uFFF9hidden\uFFFB",
  "W".repeat(5000)
]

export const hostileTexts: ReadonlyArray<string> = [...scripts, ...defacing, ...hiding]
