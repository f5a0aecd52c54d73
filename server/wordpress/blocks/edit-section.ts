import { serverText } from '#server/core/messages/server-text';
import type { RootContent } from 'hast';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { imageBlock } from '#server/wordpress/blocks/block-markup';
import { type BlockRow, rearranged, rowIn, rowOf } from '#server/wordpress/blocks/block-row';
import { parseBlock, withoutDelimiters } from '#server/wordpress/blocks/source/block-scan';
import type { Writing } from '#server/wordpress/blocks/edit-text';
import {
  comparable,
  fieldNodes,
  followWords,
  htmlMarkupRules,
  shownNodes,
  textMarkupRules,
} from '#server/wordpress/blocks/markup-rules';
import { hasSameTexts, patchCaptioned, patchFields } from '#server/wordpress/blocks/patch-fields';
import type { Comparison } from '#server/wordpress/blocks/paired-lists';
import { MarkupPatch, type MarkupRules } from '#server/wordpress/blocks/patch-markup';
import { readSegments } from '#server/wordpress/blocks/read-segments';
import { writeSection } from '#server/wordpress/blocks/section-blocks';
import { SourceEdits } from '#server/wordpress/blocks/source/source-edits';
import { blocksIn, rangeOf } from '#server/wordpress/blocks/source/source-places';
import type { Section } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';
import { sameJson } from '#server/core/json';
import type { SectionFields } from '#server/core/site/section-fields';
import { elementsWithin } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { escapeText } from '#server/markup/write-html';
import { wordSimilarity } from '#server/markup/word-similarity';

/** Error for a section whose edit would remove something that the edit does not mention. */
function refusal({ type, fields }: Section): InvalidInputError {
  const block = type === 'html' && typeof fields['block'] === 'string' ? fields['block'] : null;
  return new InvalidInputError(serverText('wordpress-part-would-be-lost', { block, section: type }));
}

/** True if a part of content is read as exactly this section. */
function isReadAs(raw: string, { type, fields }: Section, context: BlockContext): boolean {
  const [segment, ...others] = readSegments(raw, context);
  if (segment === undefined || others.length > 0 || segment.type !== type) return false;
  if (type !== 'html') return sameJson(segment.fields, fields);
  const [is, wanted] = [segment.fields['html'], fields['html']].map((html) => fieldNodes(html as string));
  return is && wanted ? comparable(is) === comparable(wanted) : false;
}

/** Markup with the content of `to`, in its existing tags. */
function patched(raw: string, to: readonly RootContent[] | null, rules: MarkupRules, context: BlockContext) {
  const from = shownNodes(raw, context);
  const edits = new SourceEdits(raw);
  if (from === null || to === null) return null;
  if (!new MarkupPatch(edits, rules).patch(from, to, { start: 0, end: raw.length })) return null;
  followWords(edits, from, to);
  return edits.applied();
}

type Picture = SectionFields<'gallery'>['images'][number];

/** A picture with another caption, description or file, or that gets or loses its caption. */
function patchPicture(raw: string, former: Picture, picture: Picture, context: BlockContext): string | null {
  const [{ caption: was, ...before }, { caption: is, ...after }] = [former, picture];
  if (was !== undefined && is !== undefined) {
    return patchFields(raw, { ...before, caption: was }, { ...after, caption: is }, context);
  }
  const described = patchFields(raw, before, after, context);
  if (described === null || was === is) return described;
  const end = described.lastIndexOf('</figure>');
  if (is !== undefined && end >= 0) {
    return `${described.slice(0, end)}<figcaption class="wp-element-caption">${escapeText(is)}</figcaption>${described.slice(end)}`;
  }
  const nodes = shownNodes(described, context) ?? [];
  const words = elementsWithin({ type: 'root', children: [...nodes] }).find(({ tagName }) => tagName === 'figcaption');
  const range = words === undefined ? null : rangeOf(words);
  return range === null ? null : described.slice(0, range.start) + described.slice(range.end);
}

/** A gallery whose pictures are blocks: each picture keeps its block. */
function patchPictures(raw: string, from: readonly Picture[], to: readonly Picture[], context: BlockContext) {
  const gallery = blocksIn(raw).find(({ name }) => name === 'core/gallery');
  const row = gallery === undefined ? null : rowIn(raw, gallery.inside);
  const pictures =
    row === null || from.length === 0
      ? null
      : rowOf(
          row,
          from.map(() => 'core/image'),
        );
  if (pictures === null) return null;
  const comparison: Comparison<Picture> = {
    isSame: sameJson,
    mayPair: () => true,
    similarity: (one, other) => Number(one.src === other.src),
  };
  const inside = rearranged(pictures, from, to, comparison, (old, picture) => {
    if (old === null) return imageBlock(picture, context);
    if (sameJson(old.content, picture)) return old.raw;
    return patchPicture(old.raw, old.content, picture, context) ?? imageBlock(picture, context);
  });
  return pictures.opening + inside + pictures.closing;
}

/** The blocks inside a group. */
export function groupIn(raw: string): BlockRow | null {
  const outer = parseBlock(raw.trim(), 'core/group') === null ? undefined : blocksIn(raw).at(-1);
  return outer === undefined ? null : rowIn(raw, outer.inside);
}

/**
 * Edits a group that was generated here and then edited in the CMS: the difference between the generated blocks before and
 * after the change is applied to the present blocks, block by block. Null if the present blocks are of other kinds.
 */
function patchGroup(raw: string, former: Section, section: Section, context: BlockContext): string | null {
  const [present, was, is] = [raw, writeSection(former, context), writeSection(section, context)].map(groupIn);
  if (!present || !was || !is) return null;
  const presentRow = rowOf(
    present,
    was.blocks.map(({ name }) => name),
  );
  if (presentRow === null || (was.opening !== is.opening && presentRow.opening !== was.opening)) return null;
  const comparison: Comparison<BlockRow['blocks'][number]> = {
    isSame: (one, other) => one.raw === other.raw,
    mayPair: (one, other) => one.name === other.name,
    similarity: (one, other) => wordSimilarity(one.raw, other.raw),
  };
  const inside = rearranged(presentRow, was.blocks, is.blocks, comparison, (old, block) => {
    if (old === null || old.content.raw === block.raw) return old?.raw ?? block.raw;
    return patched(old.raw, shownNodes(block.raw, context), textMarkupRules(context), context) ?? block.raw;
  });
  return (was.opening === is.opening ? presentRow : is).opening + inside + presentRow.closing;
}

/** True if the cleaned HTML of the section is everything that an HTML block contains. */
function isWhollyShown(raw: string, { fields }: Section): boolean {
  const tree = fields['block'] === undefined ? parseHtmlWithinLimits(withoutDelimiters(raw)) : null;
  const shown = fieldNodes(withoutDelimiters(raw));
  return tree !== null && shown !== null && comparable(tree.children) === comparable(shown);
}

function* candidates(raw: string, former: Section, section: Section, context: BlockContext): Generator<string | null> {
  const { type, fields } = section;
  if (type === 'html') {
    yield patched(raw, fieldNodes(fields['html'] as string), htmlMarkupRules(context), context);
    return;
  }
  const pictures = () =>
    type === 'gallery' && sameJson({ ...former.fields, images: [] }, { ...fields, images: [] })
      ? patchPictures(raw, former.fields['images'] as Picture[], fields['images'] as Picture[], context)
      : null;
  if (hasSameTexts(former.fields, fields)) {
    // Items that only change places keep everything that belongs to them.
    yield pictures();
    yield patchGroup(raw, former, section, context);
  }
  if (type === 'image') {
    yield patchPicture(raw, former.fields as Picture, fields as Picture, context);
    yield patchCaptioned(raw, former.fields, fields, context);
  }
  yield patchFields(raw, former.fields, fields, context);
  yield pictures();
  yield patchGroup(raw, former, section, context);
}

/**
 * The markup of a changed section of any type but `text`: in its existing tags, with only the changed words and
 * attributes rewritten.
 * @param raw its current markup
 * @throws InvalidInputError if it could only be regenerated and would lose something
 */
export function editSection(raw: string, former: Section, section: Section, { context, written }: Writing): string {
  const regenerated = () => written(writeSection(section, context));
  const isGenerated = raw.trim() === written(writeSection(former, context)).trim();
  if (isGenerated) return regenerated();
  for (const candidate of candidates(raw, former, section, context)) {
    if (candidate !== null && isReadAs(candidate, section, context)) return candidate;
  }
  if (section.type === 'html' && isWhollyShown(raw, former)) return regenerated();
  throw refusal(section);
}
