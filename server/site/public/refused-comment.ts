import type { CommentOutcome } from '#server/core/site/preview/preview-comments';
import { COMMENT_FORM_CLASS } from '#server/core/site/preview/preview-comments';
import { type DocumentNode, parseOwnDocument, writeOwnDocument } from '#server/markup/parse-html';

/** A comment that was not stored, as it was sent. */
export interface RefusedComment {
  readonly outcome: Exclude<CommentOutcome, 'sent'>;
  readonly section: string;
  readonly name: string;
  readonly text: string;
}

type ElementNode = Extract<DocumentNode, { tagName: string }>;

function attributeOf(element: ElementNode, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}

function setAttribute(element: ElementNode, name: string, value: string): void {
  element.attrs = [...element.attrs.filter((attribute) => attribute.name !== name), { name, value }];
}

/** The page of a preview link with the reason for a refusal, and with what was sent in its form for comments. */
export function withRefusedComment(html: string, refused: RefusedComment): string {
  const document = parseOwnDocument(html);
  fill(document, refused, false);
  return writeOwnDocument(document);
}

function fill(node: DocumentNode, refused: RefusedComment, isInForm: boolean): void {
  let isForm = isInForm;
  if ('tagName' in node) {
    isForm ||= node.tagName === 'form' && attributeOf(node, 'class') === COMMENT_FORM_CLASS;
    if (attributeOf(node, 'id') === `comment-${refused.outcome}`)
      setAttribute(node, 'class', `${attributeOf(node, 'class') ?? ''} site-comments-shown`);
    if (isForm) fillField(node, refused);
  }
  if ('childNodes' in node) for (const child of node.childNodes) fill(child, refused, isForm);
}

function fillField(element: ElementNode, { section, name, text }: RefusedComment): void {
  const field = attributeOf(element, 'name');
  if (element.tagName === 'option' && attributeOf(element, 'value') === section) setAttribute(element, 'selected', '');
  if (element.tagName === 'input' && field === 'name') setAttribute(element, 'value', name);
  // A line break directly after the tag is not part of the text.
  if (element.tagName === 'textarea' && field === 'text')
    element.childNodes = [{ nodeName: '#text', value: `\n${text}`, parentNode: element }];
}
