import { expect, it } from 'vitest';
import { changesOf } from '#components/site/theme-form';
import { DEFAULT_SETTINGS } from '#server/site/site-settings';

it('only the settings that differ are sent', () => {
  expect(changesOf(DEFAULT_SETTINGS, DEFAULT_SETTINGS)).toEqual({});
  const named = { ...DEFAULT_SETTINGS, siteName: 'Kiln & Co.', tagline: 'Stoneware' };
  expect(changesOf(named, DEFAULT_SETTINGS)).toEqual({ siteName: 'Kiln & Co.', tagline: 'Stoneware' });
});
