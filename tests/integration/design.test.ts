import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { renderSiteDocument } from '#components/content/render-site-page';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { countTokens } from '#server/context/tokens';
import { readFacts } from '#server/conversation/step/site-context';
import { DEFAULT_DESIGN } from '#server/core/site/design/design';
import { withTheme } from '#server/core/site/design/themes';
import type { Services } from '#server/services';
import { renderPage } from '#server/site/public/render-page';
import { decisionsOn } from '#tests/support/decisions';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { finish, says, toolCall } from '#tests/support/scripted-model';
import { startTestServices } from '#tests/support/test-services';

const DESIGN = '/api/content/design';

/** The root element of the start page, as visitors get it. */
async function rootOfSite({ builtIn }: Services): Promise<string> {
  const theme = {
    render: renderSiteDocument,
    stylesheet: '/assets/site.css',
    fonts: [],
    pairs: { manrope: { stylesheet: '/assets/fonts-manrope.css', fonts: ['/assets/manrope.woff2'], files: [] } },
    assets: [],
    readImage: async () => null,
  };
  const site = { content: builtIn.content, address: 'https://kiln.example', theme, forms: null };
  const html = await renderPage(site, '/');
  const fonts = html.includes('fonts-manrope') ? ' with manrope' : '';
  return `${/<div class="site"[^>]*>/.exec(html)?.[0] ?? ''}${fonts}`;
}

describe('the design of a site', () => {
  let services: Services;

  beforeAll(async () => {
    services = await serve(startTestServices());
  });
  afterAll(stopServing);

  const call = async (method: string, path: string, body?: object, query = '') => {
    const response = await callRoute(method, path, { body, query });
    return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
  };

  it('is drafted, published and undone over REST, and visitors see what is published', async () => {
    const before = await rootOfSite(services);
    expect(before).toMatch(/^<div class="site" style="--site-accent:#[0-9a-f]{6};--site-accent-ink:#ffffff">$/);
    const { body: first } = await call('GET', DESIGN);
    expect(first).toEqual({ draft: DEFAULT_DESIGN, published: null, hasUnpublishedChanges: false, revision: 0 });

    const { logo: _logo, ...theme } = withTheme(DEFAULT_DESIGN, 'night');
    const saved = await call('PATCH', DESIGN, theme, '?ifRevision=0');
    expect(saved).toMatchObject({ status: 200, body: { design: theme, change: { targetType: 'design' } } });
    expect(await rootOfSite(services)).toBe(before);
    expect(await call('PATCH', DESIGN, { corners: 'round' }, '?ifRevision=0')).toMatchObject({ status: 409 });

    const published = await call('POST', `${DESIGN}/publish`);
    expect(published).toMatchObject({ status: 200, body: { change: { action: 'publish' } } });
    const after = await rootOfSite(services);
    expect(after).toMatch(/--site-paper:#14171c.*data-header="centered".*data-appearance="dark".* with manrope$/);

    const { id } = z.object({ id: z.string() }).parse(published.body['change']);
    expect(await call('POST', '/api/content/undo', { changeId: id })).toMatchObject({ status: 200 });
    expect(await rootOfSite(services)).toBe(before);
    expect((await call('GET', DESIGN)).body).toMatchObject({
      draft: theme,
      published: null,
      hasUnpublishedChanges: true,
    });
  });

  it('refuses colors without enough contrast, and names the nearest one that has it', async () => {
    const refused = await call('PATCH', DESIGN, { palette: { brand: '#ffe08a', ink: '#222222', paper: '#ffffff' } });
    const issues = [
      { path: 'palette.brand', message: expect.stringMatching(/nearest .* is #[0-9a-f]{6}\.$/) as string },
    ];
    expect(refused).toMatchObject({ status: 400, body: { error: { details: { issues } } } });
  });
});

it('is changed by the assistant only after a person has agreed', async () => {
  const input = { parts: { palette: { brand: '#1d4ed8' }, fonts: 'fraunces-source-sans', publish: true } };
  await using chat = await startScriptedChat([
    [
      ...toolCall('c1', 'get_design', '{}'),
      ...toolCall('c2', 'set_design', JSON.stringify(input)),
      finish('tool-calls'),
    ],
    says('Done.'),
  ]);
  const { services, session } = chat;
  const { content } = services.builtIn;
  // A change that nobody has published is part of what visitors would see.
  await content.updateDesign({ corners: 'square' }, { actor: 'user' });
  await chat.say('Show everybody the site in blue.');
  expect((await content.design()).revision).toBe(1);
  const [asked] = await services.chat.pendingApprovals(session.id);
  expect(asked?.effect?.changes.map(({ field }) => field)).toEqual(['palette', 'fonts', 'corners']);
  const decisions = await decisionsOn(services.chat, session.id, { toolCallId: 'c2', approved: true });
  await services.chat.decide(session.id, decisions, scopesOfRole.editor);
  await services.chat.idle();
  const { draft, published } = await content.design();
  expect(published).toEqual(draft);
  expect(draft.palette).toEqual({ brand: '#1d4ed8', ink: '#211d19', paper: '#fbf8f3' });
  const { design = '' } = await readFacts(content, { id: 'embedded', address: null }, undefined, 600);
  expect(design).toBe('Design: brand #1d4ed8, fraunces-source-sans, auto');
  expect(countTokens(design)).toBeLessThanOrEqual(40);
  const { noteMessages } = await content.updateSettings({ accentColor: '#336699' }, { actor: 'api' });
  expect(noteMessages?.map(({ code }) => code)).toEqual(['design-has-brand']);
});
