/** CSS properties of text, without those of its box. */
const TEXT = [
  'color',
  'font-family',
  'font-size',
  'font-weight',
  'font-style',
  'font-stretch',
  'font-optical-sizing',
  'font-feature-settings',
  'font-variation-settings',
  'font-kerning',
  'letter-spacing',
  'word-spacing',
  'line-height',
  'text-align',
  'text-indent',
  'text-transform',
  'text-wrap-style',
  'hyphens',
  'direction',
] as const;

/** CSS properties of the box around a text. */
const PADDING = ['padding-top', 'padding-right', 'padding-bottom', 'padding-left'] as const;
const BOX = [
  ...PADDING,
  'border-left-width',
  'border-left-style',
  'border-left-color',
  'border-top-width',
  'border-top-style',
  'border-top-color',
  'border-radius',
  'background-color',
] as const;
const CELL = ['border-bottom-width', 'border-bottom-style', 'border-bottom-color', 'vertical-align'] as const;
const CELL_TEXT = TEXT.filter((name) => name !== 'text-align');

/** CSS properties of a link that differ from those of the text around it. */
const LINK = [
  'color',
  'text-decoration-line',
  'text-decoration-color',
  'text-decoration-thickness',
  'text-underline-offset',
] as const;

function stylesOf(element: Element): CSSStyleDeclaration | undefined {
  return element.ownerDocument.defaultView?.getComputedStyle(element);
}

/** The computed styles of an element as CSS declarations. */
function declarations(element: Element, names: readonly string[]): string {
  const styles = stylesOf(element);
  return names.map((name) => `${name}:${styles?.getPropertyValue(name) ?? ''};`).join('');
}

/** Copies the text styles of an element of another document to a field: font, colour, spacing and padding. */
export function copyTextStyle(field: HTMLElement, text: Element): void {
  const styles = stylesOf(text);
  for (const name of [...TEXT, ...PADDING]) field.style.setProperty(name, styles?.getPropertyValue(name) ?? '');
}

/** Headings that Markdown can produce in a section, whose own heading is `h2`. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'];

/** A table as the site shows it, with a header and two rows. */
function tableSpecimens(make: (name: string, ...children: readonly HTMLElement[]) => HTMLElement) {
  const [th, td] = [make('th'), make('td')];
  const table = make('table', make('thead', make('tr', th)), make('tbody', make('tr', td), make('tr', make('td'))));
  const box = make('div', table);
  box.className = 'site-table';
  return { 'site-table': box, table, th, td };
}

/**
 * One specimen of each block that a text can contain. `first` comes before all of them, so that none is the first child
 * and each has its margin.
 */
function specimens(page: Document): Readonly<Record<string, HTMLElement>> {
  const make = (name: string, ...children: readonly HTMLElement[]) => {
    const element = page.createElement(name);
    element.append(...(children.length === 0 ? ['x'] : children));
    return element;
  };
  const inline = { a: make('a'), strong: make('strong'), em: make('em'), code: make('code'), del: make('del') };
  inline.a.setAttribute('href', '#');
  const items = [make('li'), make('li')];
  return {
    first: make('p'),
    p: make('p', ...Object.values(inline)),
    ...inline,
    ...Object.fromEntries(HEADINGS.map((name) => [name, make(name)])),
    ul: make('ul', ...items),
    ...(items[1] && { li: items[1] }),
    ol: make('ol', make('li')),
    blockquote: make('blockquote', make('p')),
    pre: make('pre', make('code')),
    hr: page.createElement('hr'),
    ...tableSpecimens(make),
  };
}

const BLOCKS = ['p', ...HEADINGS, 'ul', 'ol', 'blockquote', 'pre', 'hr'];

/**
 * The styles of running text on a page, as a style sheet for an editor that is drawn over it. They are measured on
 * specimens that are briefly inserted into the page, so they are right for every width, colour scheme and site.
 * @param text element of the page that shows a text
 * @param scope selector of the editor's text
 */
export function runningTextStyle(text: HTMLElement, scope: string): string {
  const page = text.ownerDocument;
  const probe = text.cloneNode(false) as HTMLElement;
  for (const name of ['data-field', 'data-text']) probe.removeAttribute(name);
  probe.style.cssText = `position:absolute;visibility:hidden;width:${String(text.clientWidth)}px`;
  const made = specimens(page);
  probe.append(...['first', ...BLOCKS, 'site-table'].flatMap((name) => made[name] ?? []));
  text.after(probe);
  const specimen = (name: string) => made[name] ?? probe;
  const value = (name: string, property: string) => stylesOf(specimen(name))?.getPropertyValue(property) ?? '';
  const marker = page.defaultView?.getComputedStyle(specimen('li'), '::marker').color ?? 'currentcolor';
  const codeSize = Number.parseFloat(value('code', 'font-size')) / Number.parseFloat(value('p', 'font-size'));
  const rules = [
    [scope, declarations(text, [...TEXT, ...PADDING])],
    ...BLOCKS.map((name) => [`${scope} > ${name}:not(:first-child)`, `margin-top:${value(name, 'margin-top')}`]),
    ...[...HEADINGS, 'blockquote', 'pre'].map((name) => [
      `${scope} ${name}`,
      declarations(specimen(name), [...TEXT, ...BOX]),
    ]),
    ...['ul', 'ol'].map((name) => [
      `${scope} ${name}`,
      declarations(specimen(name), ['padding-left', 'list-style-type']),
    ]),
    [`${scope} li + li`, `margin-top:${value('li', 'margin-top')}`],
    [`${scope} li::marker`, `color:${marker}`],
    [`${scope} > table:not(:first-child)`, `margin-top:${value('site-table', 'margin-top')}`],
    [`${scope} table`, declarations(specimen('table'), [...TEXT, 'width', 'overflow-wrap'])],
    ...['th', 'td'].map((name) => [`${scope} ${name}`, declarations(specimen(name), [...CELL_TEXT, ...BOX, ...CELL])]),
    // Alignment is an attribute of the cell, see rich-text.css.
    [`${scope} :is(th, td):not([align])`, `text-align:${value('td', 'text-align')}`],
    [`${scope} hr`, declarations(specimen('hr'), BOX)],
    [`${scope} a`, declarations(specimen('a'), LINK)],
    [`${scope} strong`, `font-weight:${value('strong', 'font-weight')}`],
    [`${scope} em`, `font-style:${value('em', 'font-style')}`],
    [`${scope} code:not([data-markdown], pre code)`, `font:${String(codeSize)}em ${value('code', 'font-family')}`],
    [`${scope} pre code`, 'font:inherit'],
  ];
  probe.remove();
  return rules.map(([selector, styles]) => `${String(selector)}{${String(styles)}}`).join('\n');
}

/** Applies a style sheet to this document. @returns function that removes it */
export function adoptStyles(css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
