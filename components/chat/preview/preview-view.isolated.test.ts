import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PreviewView } from '#components/chat/preview/preview-view.ts';
import type { ChangeSet } from '#server/core/site/changes';

const entries = [
  { id: 'home', path: '/' },
  { id: 'pricing', path: '/pricing' },
  { id: 'team', path: '/about/team' },
];

/** A section written on a page, with the fields that the test needs. */
const written = (targetId: string, sectionId: string) =>
  ({
    targetId,
    targetType: 'page',
    operations: [{ op: 'set-section', sectionId, fields: {} }],
  }) as unknown as ChangeSet;

describe('the target of the preview', () => {
  let view: PreviewView;
  /** Lets the server say what pages there are, once for each that asked. */
  let answers: (() => void)[];
  const shown = () => {
    const { path, sectionIds } = view.store.get();
    return [path, ...sectionIds];
  };

  beforeEach(() => {
    view = new PreviewView();
    answers = [];
    vi.stubGlobal('fetch', async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return Response.json({ items: entries, nextCursor: null });
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  it("restores the tab's page after a reload while the server still renders the home page", () => {
    const kept = new Map<string, string>();
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    });
    new PreviewView().browse('/pricing');
    const again = new PreviewView();
    expect(again.store.get().path).toBe('/pricing');
    // Links that are followed inside the page count as well.
    again.follow('/about/team');
    expect(new PreviewView().store.get().path).toBe('/about/team');
  });

  it('is not where something was changed when the user has gone elsewhere before that is known', async () => {
    const asked = view.showChanges([written('pricing', 'sec_1')]);
    view.goTo('/about/team');
    answers[0]?.();
    await asked;
    expect(shown()).toEqual(['/about/team']);
  });

  it('follows a link that was clicked inside the page', async () => {
    const asked = view.showChanges([written('pricing', 'sec_1')]);
    view.follow('/about/team');
    answers[0]?.();
    await asked;
    expect(shown()).toEqual(['/about/team']);
  });

  it('is the place of the newer of two changes, also when that of the older is known later', async () => {
    const older = view.showChanges([written('pricing', 'sec_1')]);
    const newer = view.showChanges([written('team', 'sec_2')]);
    answers[1]?.();
    await newer;
    const { version } = view.store.get();
    answers[0]?.();
    await older;
    expect(shown()).toEqual(['/about/team', 'sec_2']);
    expect(view.store.get().version).toBe(version);
  });

  it('stays with what others change, and shows it where it is on the present page', async () => {
    const elsewhere = view.noteChanges([written('pricing', 'sec_1')]);
    answers[0]?.();
    await elsewhere;
    expect(view.store.get().version).toBe(0);
    const here = view.noteChanges([written('home', 'sec_3')]);
    answers[1]?.();
    await here;
    expect(shown()).toEqual(['/', 'sec_3']);
  });
});
