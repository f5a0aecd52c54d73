import { describe, expect, it } from 'vitest';
import { readKnown } from '#server/wordpress/blocks/align-sections';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { saysTheSame } from '#server/wordpress/blocks/markup-meaning';

const block = (attributes: string, html = '<p>A</p>') =>
  `<!-- wp:paragraph ${attributes}-->\n${html}\n<!-- /wp:paragraph -->`;

describe('the meaning of markup', () => {
  it.for([
    [block('{"a":{},"b":[1.0,2.50]} '), block('{"a":[],"b":[1,2.5]} ')],
    [block('{} '), block('')],
    [block(String.raw`{"a":"\u002d\u002d\u003cb\u003e \/"} `), block(String.raw`{"a":"\u002d-<b\u003e /"} `)],
    [block('{"a":{"0":"x","1":{}}} '), block('{"a":["x",[]]} ')],
    ['<!-- wp:core/spacer {"height":1.0} /-->', '<!-- wp:spacer {"height":1} /-->'],
  ] as const)('is the same before and after PHP has written it: %s', ([before, after]) => {
    expect(saysTheSame(before, after)).toBe(true);
  });

  it.for([
    [block('{"a":1} '), block('{"a":2} ')],
    [block('{"a":"1"} '), block('{"a":1} ')],
    [block('', '<p>{}</p>'), block('', '<p>[]</p>')],
    [block('{"a":[1,2]} '), block('{"a":[2,1]} ')],
    [block('{"a": '), block('{"a" ')],
  ] as const)('is another one where anything but the form differs: %s', ([before, after]) => {
    expect(saysTheSame(before, after)).toBe(false);
  });

  it('two adjacent texts stay two sections when their JSON is rewritten', () => {
    const raws = ['One', 'Two'].map((words) => block('{"style":{},"x":1.0} ', `<p>${words}</p>`));
    const known = raws.map((raw, n) => ({
      sectionId: `sec_${n}`,
      type: 'text' as const,
      fields: { body: n === 0 ? 'One' : 'Two' },
      raw: n === 0 ? `${raw}\n\n` : raw,
    }));
    const stored = raws.join('\n\n').replaceAll('{}', '[]').replaceAll('1.0', '1');
    const read = readKnown(known, stored, plainContext, () => 'new');
    expect(read.map(({ sectionId, fields }) => [sectionId, fields])).toEqual(
      known.map(({ sectionId, fields }) => [sectionId, fields]),
    );
    expect(read.map(({ raw }) => raw).join('')).toBe(stored);
  });
});
