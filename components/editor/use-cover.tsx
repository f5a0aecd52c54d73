import { type RefObject, useEffectEvent, useLayoutEffect } from 'react';
import { markdownToHtml } from '#components/content/text/safe-html';
import { coverText, scrollToText, textBox, textElement } from '#components/editor/covered-text';
import { scaleOf } from '#components/editor/page-frames';
import { adoptStyles, runningTextLook, wearLook } from '#components/editor/page-look';
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
