import type { TextExcerpt } from '#server/core/site/changes';
import { changedParts } from '#server/markup/changed-parts';

/** Number of unchanged characters to show before and after a difference. */
const CONTEXT = 100;

/** A place where two texts differ: start and end offsets in both. */
interface Range {
  readonly before: readonly [number, number];
  readonly after: readonly [number, number];
}

/** Number of characters that two texts share at the start (`step` 1) or the end (`step` -1). */
function commonLength(one: string, other: string, step: 1 | -1): number {
  const most = Math.min(one.length, other.length);
  const at = (text: string, index: number) => text.charCodeAt(step === 1 ? index : text.length - 1 - index);
  let length = 0;
  while (length < most && at(one, length) === at(other, length)) length += 1;
  return length;
}

/** The places where two texts differ, in order. */
function differingRanges(before: string, after: string): Range[] {
  const words = (text: string) => text.match(/\s+|[^\s]+/g) ?? [];
  const ranges: Range[] = [];
  let [was, is] = [0, 0];
  let open: Range | null = null;
  for (const { kind, items } of changedParts(words(before), words(after))) {
    const length = items.reduce((sum, item) => sum + item.length, 0);
    if (kind === 'same') {
      if (open) ranges.push(open);
      open = null;
      was += length;
      is += length;
      continue;
    }
    open ??= { before: [was, was], after: [is, is] };
    if (kind === 'removed') was += length;
    else is += length;
    open = { before: [open.before[0], was], after: [open.after[0], is] };
  }
  return open ? [...ranges, open] : ranges;
}

/** The range without the common text at its start and end, because a text without spaces counts as one word. */
function narrowed({ before: [from, to], after: [start, end] }: Range, was: string, is: string): Range {
  const head = commonLength(was.slice(from, to), is.slice(start, end), 1);
  const tail = commonLength(was.slice(from + head, to), is.slice(start + head, end), -1);
  return { before: [from + head, to - tail], after: [start + head, end - tail] };
}

/** The index, moved to the left by one if a cut there would split a surrogate pair. */
export function boundary(text: string, index: number): number {
  const isWithin = /[\udc00-\udfff]/.test(text.charAt(index)) && /[\ud800-\udbff]/.test(text.charAt(index - 1));
  return isWithin ? index - 1 : index;
}

/**
 * Every difference of two texts with up to 100 characters of text around it, in order; differences near each other are one
 * excerpt. Together with `before` they determine `after`.
 */
export function excerptsOf(before: string, after: string): TextExcerpt[] {
  const ranges = differingRanges(before, after).map((range) => narrowed(range, before, after));
  const joined: Range[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    const isNear = last && range.before[0] - last.before[1] <= 2 * CONTEXT;
    if (isNear) joined.pop();
    joined.push(isNear ? { before: [last.before[0], range.before[1]], after: [last.after[0], range.after[1]] } : range);
  }
  return joined.map(({ before: [from, to], after: [start, end] }) => {
    const head = from - boundary(before, Math.max(0, from - CONTEXT));
    const tail = boundary(before, Math.min(before.length, to + CONTEXT)) - to;
    return {
      at: from - head,
      before: before.slice(from - head, Math.max(to, to + tail)),
      after: after.slice(start - head, Math.max(end, end + tail)),
    };
  });
}
