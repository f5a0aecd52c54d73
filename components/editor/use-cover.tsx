import { type RefObject, useEffectEvent, useLayoutEffect } from 'react';
import { markdownToHtml } from '#components/content/text/safe-html';
import { coverText, scrollToText, textBox, textElement } from '#components/editor/covered-text';
import { scaleOf } from '#components/editor/page-geometry';
import type { FieldPlace } from '#components/editor/places';

/** Room between a text and its tools; pixels on the screen. */
const GAP = 6;
/** Between the top of a section and its text, while the tools for the text stand above the section; pixels of the page. */
const NEAR = 200;

interface Covered {
  readonly page: Window;
  /** The layer that the editor is in, as large as the page's window. */
  readonly layer: RefObject<HTMLElement | null>;
  readonly place: FieldPlace;
}

/**
 * Keeps the editor exactly over its text: its look, its place, and the room that it takes, to which the page below makes
 * way. What was written is shown on the page when the editor goes.
 */
export function useCover({ page, layer, place }: Covered, box: HTMLDivElement | null, text: string): void {
  const put = useEffectEvent((element: HTMLElement) => {
    if (!box || !element.isConnected) return;
    const scale = scaleOf(layer.current);
    passOnScroll(box, page, scale);
    follow(box, element, scale);
  });
  const leaveWords = useEffectEvent((element: HTMLElement) => {
    if (isMarkdown(element)) element.innerHTML = markdownToHtml(text, '/preview');
  });

  useLayoutEffect(() => {
    const element = textElement(page.document, place);
    if (element === null || box === null) return undefined;
    const scope = `#${CSS.escape(box.id)} .rich-text`;
    const dropLook = isMarkdown(element) ? adoptStyles(runningTextLook(element, scope)) : undefined;
    const field = box.querySelector('textarea');
    if (field) wearLook(field, element);
    scrollToText(page, textBox(element));
    const uncover = coverText(element);
    let next = 0;
    const go = () => {
      put(element);
      next = requestAnimationFrame(go);
    };
    go();
    return () => {
      cancelAnimationFrame(next);
      dropLook?.();
      uncover();
      leaveWords(element);
    };
  }, [page, place, box]);

  // The page lays itself out anew with each letter, as it will once that is saved.
  useLayoutEffect(() => {
    const element = textElement(page.document, place);
    if (element === null || isMarkdown(element)) return;
    if (element.textContent !== text) element.textContent = text;
    put(element);
  }, [page, place, text]);
}

function isMarkdown(element: HTMLElement): boolean {
  return element.dataset['text'] === 'markdown';
}

function setStyle(element: HTMLElement, name: string, value: string): void {
  if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
}

/** Browsers bring the cursor into view by scrolling boxes around it that nobody else can scroll: the page is what scrolls. */
function passOnScroll(box: HTMLElement, page: Window, scale: number): void {
  for (let around = box.parentElement; around && around !== document.body; around = around.parentElement) {
    const { scrollTop } = around;
    if (scrollTop === 0 || getComputedStyle(around).overflowY !== 'hidden') continue;
    around.scrollTop = 0;
    page.scrollBy({ top: scrollTop / scale, behavior: 'instant' });
  }
}

function follow(box: HTMLElement, element: HTMLElement, scale: number): void {
  const field = box.querySelector('textarea');
  const { left, top, width, height } = textBox(element);
  setStyle(box, 'transform', `translate(${String(left)}px, ${String(top)}px)`);
  setStyle(box, 'width', `${String(width)}px`);
  const tools = box.querySelector<HTMLElement>('[role=toolbar]');
  if (tools) {
    const room = (tools.offsetHeight + GAP) / scale;
    // Above the section, whose heading would be under them, where that is near.
    const section = element.closest('[data-kind]')?.getBoundingClientRect().top ?? top;
    const above = top - section < NEAR ? section - top - GAP / scale : 0;
    // In the window also where the text begins above it, and never below its end.
    const wanted = Math.max(above - room, Math.min(GAP / scale - top, box.offsetHeight));
    setStyle(tools, '--tools-top', `${String(wanted + room - GAP / scale - tools.offsetHeight)}px`);
  }
  if (field === null) {
    const text = box.querySelector<HTMLElement>('.rich-text');
    if (text) setStyle(element, 'height', `${String(text.offsetHeight)}px`);
    return;
  }
  setStyle(element, 'min-height', '');
  field.style.height = '0';
  const needed = field.scrollHeight;
  if (needed > height + 1) setStyle(element, 'min-height', `${String(needed)}px`);
  field.style.height = `${String(Math.max(needed, height))}px`;
}

/** Properties of the look of text, without those of its box. */
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

function declarations(element: Element, names: readonly string[]): string {
  const styles = stylesOf(element);
  return names.map((name) => `${name}:${styles?.getPropertyValue(name) ?? ''};`).join('');
}

/** Gives a field the look of a text of another document: font, colour, spacing and padding. */
function wearLook(field: HTMLElement, text: Element): void {
  const styles = stylesOf(text);
  for (const name of [...TEXT, ...PADDING]) field.style.setProperty(name, styles?.getPropertyValue(name) ?? '');
}

const HEADINGS = ['h3', 'h4', 'h5', 'h6'];

/** One of each thing that a text can consist of, after a paragraph: the space above it is that between two. */
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
  };
}

const BLOCKS = ['p', ...HEADINGS, 'ul', 'ol', 'blockquote', 'pre', 'hr'];

/**
 * The look of running text on a page, as a style sheet for an editor that is drawn over it. It is read off one of each
 * thing, which is put into the page for a moment: so it is right for every width, colour scheme and site.
 * @param text element of the page that shows a text
 * @param scope selector of the editor's text
 */
function runningTextLook(text: HTMLElement, scope: string): string {
  const page = text.ownerDocument;
  const probe = text.cloneNode(false) as HTMLElement;
  for (const name of ['data-field', 'data-text']) probe.removeAttribute(name);
  probe.style.cssText = `position:absolute;visibility:hidden;width:${String(text.clientWidth)}px`;
  const made = specimens(page);
  probe.append(...['first', ...BLOCKS].flatMap((name) => made[name] ?? []));
  text.after(probe);
  const of = (name: string) => made[name] ?? probe;
  const value = (name: string, property: string) => stylesOf(of(name))?.getPropertyValue(property) ?? '';
  const marker = page.defaultView?.getComputedStyle(of('li'), '::marker').color ?? 'currentcolor';
  const codeSize = Number.parseFloat(value('code', 'font-size')) / Number.parseFloat(value('p', 'font-size'));
  const rules = [
    [scope, declarations(text, [...TEXT, ...PADDING])],
    ...BLOCKS.map((name) => [`${scope} > ${name}:not(:first-child)`, `margin-top:${value(name, 'margin-top')}`]),
    ...[...HEADINGS, 'blockquote', 'pre'].map((name) => [
      `${scope} ${name}`,
      declarations(of(name), [...TEXT, ...BOX]),
    ]),
    ...['ul', 'ol'].map((name) => [`${scope} ${name}`, declarations(of(name), ['padding-left', 'list-style-type'])]),
    [`${scope} li + li`, `margin-top:${value('li', 'margin-top')}`],
    [`${scope} li::marker`, `color:${marker}`],
    [`${scope} hr`, declarations(of('hr'), BOX)],
    [`${scope} a`, declarations(of('a'), LINK)],
    [`${scope} strong`, `font-weight:${value('strong', 'font-weight')}`],
    [`${scope} em`, `font-style:${value('em', 'font-style')}`],
    [`${scope} code:not([data-markdown], pre code)`, `font:${String(codeSize)}em ${value('code', 'font-family')}`],
    [`${scope} pre code`, 'font:inherit'],
  ];
  probe.remove();
  return rules.map(([selector, styles]) => `${String(selector)}{${String(styles)}}`).join('\n');
}

/** Applies a style sheet to this document. @returns takes it away again */
function adoptStyles(css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
