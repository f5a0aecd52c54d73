import type { Element, RootContent } from 'hast';
import type { BlockContext } from '#server/blocks/block-context';
import { block, headingBlock, imageBlock, inRow, paragraphBlock } from '#server/blocks/block-markup';
import { withAddresses } from '#server/blocks/clean-html';
import { attribute, classesOf, elementsOf, htmlOf, isElement, mapElements } from '#server/markup/html-tree';
import { markdownToHtml } from '#server/blocks/markdown-to-html';

/** A block written for a part of a markdown text. */
export interface WrittenBlock {
  readonly raw: string;
  /** Start of that part in the markdown (UTF-16 units). */
  readonly offset: number;
}

type Nodes = readonly RootContent[];

const LIST_TAGS = ['ul', 'ol'];

function isBlockElement(node: RootContent): boolean {
  return isElement(node, 'p', 'ul', 'ol', 'pre', 'blockquote', 'table', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6');
}

/** The words of a list item: its paragraphs, parted as well as one line of rich text can. */
function itemLine(nodes: Nodes): string {
  const parts = nodes.map((node) => (isElement(node, 'p') ? htmlOf(node.children) : htmlOf([node]).trim()));
  return parts.filter((part) => part !== '').join('<br><br>');
}

function isSimpleList(list: Element): boolean {
  return list.children.every(
    (item) =>
      !isElement(item) ||
      item.children.every(
        (node) =>
          !isBlockElement(node) || isElement(node, 'p') || (isElement(node, ...LIST_TAGS) && isSimpleList(node)),
      ),
  );
}

function listItem(item: Element): string {
  const lists = item.children.filter((node): node is Element => isElement(node, ...LIST_TAGS));
  const words = item.children.filter((node) => !isElement(node, ...LIST_TAGS));
  const isTight = !words.some((node) => isElement(node, 'p'));
  const line = isTight ? htmlOf(words).trim() : itemLine(words);
  return block('list-item', `<li>${line}${inRow(lists.map(listBlock))}</li>`);
}

function listBlock(list: Element): string {
  if (!isSimpleList(list)) return block('html', htmlOf([list]));
  const items = list.children.filter((node): node is Element => isElement(node, 'li')).map(listItem);
  if (list.tagName === 'ul') return block('list', `<ul>${inRow(items)}</ul>`);
  const start = Number(attribute(list, 'start') ?? 1);
  const mark = start === 1 ? '' : ` start="${start}"`;
  const attributes = { ordered: true, start: start === 1 ? undefined : start };
  return block('list', `<ol${mark}>${inRow(items)}</ol>`, attributes);
}

function codeBlock(pre: Element): string {
  const [code] = pre.children;
  const language =
    code !== undefined && isElement(code)
      ? classesOf(code).find((name) => /^language-[\w+#-]+$/.test(name))
      : undefined;
  const marks = language === undefined ? '' : ` ${language}`;
  const words = htmlOf([{ type: 'text', value: codeWords(pre).replace(/\n$/, '') }]);
  return block('code', `<pre class="wp-block-code${marks}"><code>${words}</code></pre>`, { className: language });
}

/** `wordsOf` would make one line of it. */
function codeWords(node: Element): string {
  return node.children
    .map((child) => (child.type === 'text' ? child.value : isElement(child) ? codeWords(child) : ''))
    .join('');
}

/** Alignment as the table block of WordPress writes it. */
function tableBlock(table: Element): string {
  const [aligned] = mapElements([table], (element) => {
    const align = attribute(element, 'align');
    const properties = align === undefined ? {} : { className: [`has-text-align-${align}`], dataAlign: align };
    const children = /^(?:table|thead|tbody|tr)$/.test(element.tagName)
      ? (elementsOf(element.children) ?? [])
      : element.children;
    return [{ ...element, children, properties: /^t[dh]$/.test(element.tagName) ? properties : element.properties }];
  });
  return block('table', `<figure class="wp-block-table">${htmlOf(aligned === undefined ? [] : [aligned])}</figure>`);
}

/** A picture that is a paragraph of its own. */
function loneImage(paragraph: Element): Element | undefined {
  const elements = elementsOf(paragraph.children);
  const [image] = elements ?? [];
  return elements?.length === 1 && image?.tagName === 'img' && attribute(image, 'title') === undefined
    ? image
    : undefined;
}

function elementBlock(element: Element, context: BlockContext): string {
  const { tagName, children } = element;
  if (/^h[1-6]$/.test(tagName)) return headingBlock(htmlOf(children), Math.min(Number(tagName[1]) + 2, 6));
  if (tagName === 'ul' || tagName === 'ol') return listBlock(element);
  if (tagName === 'pre') return codeBlock(element);
  if (tagName === 'table') return tableBlock(element);
  if (tagName === 'hr') {
    return block('separator', '<hr class="wp-block-separator has-alpha-channel-opacity"/>');
  }
  if (tagName === 'blockquote') {
    const inner = (elementsOf(children) ?? []).map((child) => elementBlock(child, context));
    return block('quote', `<blockquote class="wp-block-quote">${inRow(inner)}</blockquote>`);
  }
  if (tagName !== 'p') return block('html', htmlOf([element]));
  const image = loneImage(element);
  if (image === undefined) return paragraphBlock(htmlOf(children));
  return imageBlock({ src: attribute(image, 'src') ?? '', alt: attribute(image, 'alt') ?? '' }, context);
}

/** Line breaks of markdown are spaces; in content without blocks WordPress would make `<br>` of them. */
function unbroken(element: Element): RootContent[] {
  if (element.tagName === 'pre' || element.tagName === 'code') return [element];
  const children = element.children.map((node, index) => {
    if (node.type !== 'text') return node;
    const value = isElement(element.children[index - 1], 'br') ? node.value.replace(/^\n/, '') : node.value;
    return { ...node, value: value.replaceAll('\n', ' ') };
  });
  return [{ ...element, children }];
}

/** Check boxes of task lists are drawn: WordPress takes forms out of what most people write. */
function drawn(element: Element): RootContent[] {
  if (element.tagName !== 'input') return [element];
  return [{ type: 'text', value: element.properties['checked'] === true ? '☑' : '☐' }];
}

function withRemoteAddresses(element: Element, context: BlockContext): Element {
  const [changed] = withAddresses({ type: 'root', children: [element] }, (href) => context.toRemote(href)).children;
  return isElement(changed) ? changed : element;
}

/** Markdown as WordPress's blocks, in its order. */
export function markdownToBlocks(markdown: string, context: BlockContext): WrittenBlock[] {
  const tree = markdownToHtml(markdown);
  const drawnNodes = mapElements(tree.children, drawn);
  const elements = mapElements(drawnNodes, unbroken).filter((node): node is Element => isElement(node));
  return elements.map((element) => {
    // A picture keeps our address until it is written: its id in the site's library goes by it.
    const isPicture = element.tagName === 'p' && loneImage(element) !== undefined;
    const ready = isPicture ? element : withRemoteAddresses(element, context);
    return { raw: elementBlock(ready, context), offset: element.position?.start.offset ?? 0 };
  });
}
