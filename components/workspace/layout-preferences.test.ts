import { describe, expect, it } from 'vitest';
import { clampPreviewWidth, LAYOUT_COOKIE } from '#components/workspace/layout-preferences.ts';
import { defaultLayout, parseLayout } from '#components/workspace/parse-layout.ts';
import { layoutCookie } from '#components/chat/preview/use-layout.ts';

describe('layout preferences', () => {
  it('survive the cookie', () => {
    const layout = {
      sidebarOpen: false,
      previewOpen: true,
      previewWidth: 42,
      previewDevice: 'phone',
      previewLook: 'ours',
    } as const;
    const value = layoutCookie(layout)
      .split(';')[0]
      ?.slice(LAYOUT_COOKIE.length + 1);
    expect(parseLayout(value)).toEqual(layout);
  });

  it('fall back to the defaults for anything unreadable', () => {
    for (const value of [undefined, '', '%', 'null', '{"previewWidth":900}'])
      expect(parseLayout(value)).toEqual(defaultLayout);
  });

  it('of before there were devices are read, too', () => {
    const former = encodeURIComponent('{"sidebarOpen":false,"previewOpen":true,"previewWidth":42}');
    expect(parseLayout(former)).toMatchObject({ previewWidth: 42, previewDevice: 'desktop' });
  });

  it('leave both panes room', () => {
    expect([3, 50.4, 99].map(clampPreviewWidth)).toEqual([25, 50, 75]);
  });
});
