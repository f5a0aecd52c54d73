import { describe, expect, it } from 'vitest';
import { pathsOf, pathsOverlap } from '#server/content/diff-documents';
import type { PatchOp } from '#server/core/content';

const title: PatchOp = { op: 'set', field: 'title', value: 'x' };
const insert: PatchOp = { op: 'insert-section', section: { id: 'sec_one1', type: 'faq', fields: {} } };
const set = (field: string): PatchOp => ({ op: 'set-section', sectionId: 'sec_one1', fields: { [field]: 'x' } });
const move: PatchOp = { op: 'move-section', sectionId: 'sec_one1', index: 0 };

describe('paths of operations overlap for', () => {
  it.each<[string, PatchOp, PatchOp, boolean]>([
    ['the same field', title, title, true],
    ['another field', title, { op: 'unset', field: 'tags' }, false],
    ['a section and something in it', insert, set('heading'), true],
    ['something in a section and its removal', set('heading'), { op: 'remove-section', sectionId: 'sec_one1' }, true],
    ['different fields of a section', set('heading'), set('body'), false],
    ['the place and the text of a section', move, set('body'), false],
    ['sections whose ids begin alike', set('body'), { op: 'remove-section', sectionId: 'sec_one12' }, false],
  ])('%s', (_, earlier, later, overlap) => expect(pathsOverlap(pathsOf([earlier]), pathsOf([later]))).toBe(overlap));
});
