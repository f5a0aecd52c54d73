import type { BlockContext } from '#server/blocks/block-context';
import { imageBlock } from '#server/blocks/block-markup';
import { type BlockRow, rearranged, rowIn, rowOf } from '#server/blocks/block-row';
import { parseBlock, withoutDelimiters } from '#server/blocks/block-scan';
import type { Writing } from '#server/blocks/edit-text';
import {
  comparable,
  fieldNodes,
  followWords,
  htmlMarkupRules,
  shownNodes,
  textMarkupRules,
} from '#server/blocks/markup-rules';
import { hasSameTexts, patchCaptioned, patchFields } from '#server/blocks/patch-fields';
import type { Comparison } from '#server/blocks/paired-lists';
import { MarkupPatch, type MarkupRules } from '#server/blocks/patch-markup';
import { readSegments } from '#server/blocks/read-segments';
import { writeSection } from '#server/blocks/section-blocks';
import { SourceEdits } from '#server/blocks/source-edits';
import { blocksIn, rangeOf } from '#server/blocks/source-places';
import type { Section } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { sameJson } from '#server/core/json';
import type { SectionFields } from '#server/core/section-fields';
import { likeness } from '#server/markup/changed-parts';
import { elementsWithin, escapeText } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** A section cannot become what is wanted without losing what nobody asked to lose. */
function refusal({ type, fields }: Section): InvalidInputError {
  const block = type === 'html' && typeof fields['block'] === 'string' ? fields['block'] : null;
  const what = block === null ? `This ${type} section` : `The block ${block}`;
  return new InvalidInputError(
    `Not done: ${what} has parts in WordPress that this change would take away. Its words, links and descriptions of pictures can be changed, and its list items and table rows added or removed. For anything else edit it in WordPress's editor; or remove the section and add a new one, which loses what it has beyond its words.`,
  );
}

/** Tells whether a part of content is read as just this section. */
function isReadAs(raw: string, { type, fields }: Section, context: BlockContext): boolean {
  const [segment, ...others] = readSegments(raw, context);
  if (segment === undefined || others.length > 0 || segment.type !== type) return false;
  if (type !== 'html') return sameJson(segment.fields, fields);
  const [is, wanted] = [segment.fields['html'], fields['html']].map((html) => fieldNodes(html as string));
  return is && wanted ? comparable(is) === comparable(wanted) : false;
}

/** Markup that says what `to` says, in its own tags. */
function patched(raw: string, to: ReturnType<typeof fieldNodes>, rules: MarkupRules, context: BlockContext) {
  const from = shownNodes(raw, context);
  const edits = new SourceEdits(raw);
  if (from === null || to === null) return null;
  if (!new MarkupPatch(edits, rules).patch(from, to, { start: 0, end: raw.length })) return null;
  followWords(edits, from, to);
  return edits.applied();
}

type Picture = SectionFields<'gallery'>['images'][number];

/** A picture that has other words, description or bytes, or that gets or loses its words. */
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

/** A gallery whose pictures are blocks: each keeps its own. */
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
    likeness: (one, other) => Number(one.src === other.src),
  };
  const inside = rearranged(pictures, from, to, comparison, (old, picture) => {
    if (old === null) return imageBlock(picture, context);
    if (sameJson(old.said, picture)) return old.raw;
    return patchPicture(old.raw, old.said, picture, context) ?? imageBlock(picture, context);
  });
  return pictures.opening + inside + pictures.closing;
}

/** The blocks inside a group. */
export function groupIn(raw: string): BlockRow | null {
  const outer = parseBlock(raw.trim(), 'core/group') === null ? undefined : blocksIn(raw).at(-1);
  return outer === undefined ? null : rowIn(raw, outer.inside);
}

/** A group of ours in which somebody changed blocks: what a change does to ours is done to theirs, block by block. */
function patchGroup(raw: string, former: Section, section: Section, context: BlockContext): string | null {
  const [present, was, is] = [raw, writeSection(former, context), writeSection(section, context)].map(groupIn);
  if (!present || !was || !is) return null;
  const theirs = rowOf(
    present,
    was.blocks.map(({ name }) => name),
  );
  if (theirs === null || (was.opening !== is.opening && theirs.opening !== was.opening)) return null;
  const comparison: Comparison<BlockRow['blocks'][number]> = {
    isSame: (one, other) => one.raw === other.raw,
    mayPair: (one, other) => one.name === other.name,
    likeness: (one, other) => likeness(one.raw, other.raw),
  };
  const inside = rearranged(theirs, was.blocks, is.blocks, comparison, (old, block) => {
    if (old === null || old.said.raw === block.raw) return old?.raw ?? block.raw;
    return patched(old.raw, shownNodes(block.raw, context), textMarkupRules(context), context) ?? block.raw;
  });
  return (was.opening === is.opening ? theirs : is).opening + inside + theirs.closing;
}

/** Tells whether its cleaned HTML is all that an HTML block holds. */
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
    // Things that only change their places take all that they have along.
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
 * A section of any type but `text` that was changed, as markup: in its own tags, with only the words and attributes
 * changed that say something else now.
 * @param raw its markup as it is
 * @throws InvalidInputError where it could only be written anew, and would lose something by it
 */
export function editSection(raw: string, former: Section, section: Section, { context, written }: Writing): string {
  const anew = () => written(writeSection(section, context));
  const isOurs = raw.trim() === written(writeSection(former, context)).trim();
  if (isOurs) return anew();
  for (const candidate of candidates(raw, former, section, context)) {
    if (candidate !== null && isReadAs(candidate, section, context)) return candidate;
  }
  if (section.type === 'html' && isWhollyShown(raw, former)) return anew();
  throw refusal(section);
}
