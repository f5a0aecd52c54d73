import { expect, it } from 'vitest';
import { withReplacements } from '#server/wordpress/push-asset';

it('replaces the old file in every block that names it, and changes no other block', () => {
  const block = (name: string, id: number) =>
    `<!-- wp:media-text {"mediaId":${id},"mediaType":"image"} -->\n<div class="wp-block-media-text"><figure class="wp-block-media-text__media"><img src="https://clay.example/${name}.jpg" class="wp-image-${id} size-full"/></figure></div>\n<!-- /wp:media-text -->`;
  const known = { sectionId: 'sec_1', type: 'html', fields: {} } as const;
  const replaced = {
    assetId: 'ast_1',
    former: { remoteId: 12, address: 'https://clay.example/old.jpg' },
    latter: { remoteId: 130, address: 'https://clay.example/new.jpg' },
  };
  const blocks = [block('old', 12), block('old-300x200', 12), block('older', 121)].map((raw) => ({ ...known, raw }));
  expect(withReplacements(blocks, [replaced]).map(({ raw }) => raw)).toEqual([
    block('new', 130),
    block('new', 130),
    block('older', 121),
  ]);
  const galleries = ['[gallery ids="121,12, 13" columns="2"]', "[gallery include='12']", '[gallery columns=12]'];
  const shortcodes = galleries.map((raw) => ({ ...known, raw }));
  expect(withReplacements(shortcodes, [replaced]).map(({ raw }) => raw)).toEqual([
    '[gallery ids="121,130, 13" columns="2"]',
    "[gallery include='130']",
    '[gallery columns=12]',
  ]);
  const gallery = (ids: string, id: number, name: string) =>
    `<!-- wp:gallery {"ids":[${ids}]} -->\n<img src="https://clay.example/${name}.jpg" data-id="${id}"/>\n<!-- /wp:gallery -->`;
  const [changed] = withReplacements([{ ...known, raw: gallery('12,121', 12, 'old') }], [replaced]);
  expect(changed?.raw).toBe(gallery('130,121', 130, 'new'));
});
