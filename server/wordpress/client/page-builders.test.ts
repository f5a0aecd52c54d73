import { describe, expect, it } from 'vitest';
import { builderAddress, builderOf, buildersOf } from '#server/wordpress/client/page-builders';

describe('page builders of WordPress', () => {
  it.each([
    [
      'Elementor',
      '<h2>Words</h2>',
      '<div data-elementor-type="wp-page" data-elementor-id="7" class="elementor elementor-7">',
    ],
    ['Beaver Builder', '<!-- wp:fl-builder/layout -->\n<p>Words</p>\n<!-- /wp:fl-builder/layout -->', ''],
    ['Beaver Builder', '<p>Words</p>', '<div class="fl-builder-content fl-builder-content-7" data-post-id="7">'],
    ['Divi', '[et_pb_section fb_built="1"][et_pb_row]Words[/et_pb_row][/et_pb_section]', ''],
    ['WPBakery', '[vc_row][vc_column]Words[/vc_column][/vc_row]', ''],
    ['Avada Builder', '[fusion_builder_container hundred_percent="no"]', ''],
    [
      '',
      '<!-- wp:paragraph -->\n<p>Elementor and [vc] are words</p>\n<!-- /wp:paragraph -->',
      '<p>data-elementor-type</p>',
    ],
  ])('%j is known by what it writes: %s', (name, stored, rendered) => {
    expect(builderOf(stored, rendered)).toBe(name);
  });

  it('are opened at their own address, in the editor or on the page', () => {
    const edit = 'https://kiln.example/wp-admin/post.php?post=7&action=edit';
    const link = 'https://kiln.example/about/';
    expect(builderAddress('Elementor', edit, link)).toBe(
      'https://kiln.example/wp-admin/post.php?post=7&action=elementor',
    );
    expect(builderAddress('Divi', edit, link)).toBe('https://kiln.example/about/?et_fb=1');
    expect(builderAddress('Beaver Builder', edit, `${link}?p=7`)).toBe('https://kiln.example/about/?p=7&fl_builder');
    expect(builderAddress('Another', edit, link)).toBe(edit);
  });

  it('of a site are known by their routes, and so is whether their pages can be told', () => {
    expect(buildersOf(['wp/v2', 'elementor/v1', 'bricks/v1'])).toEqual([
      { name: 'Elementor', isDetectable: true },
      { name: 'Bricks', isDetectable: false },
    ]);
  });
});
