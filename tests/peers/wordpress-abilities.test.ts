import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectPath } from '#scripts/lib/project';
import type { ChangeOrigin } from '#server/core/site/changes';
import { InvalidInputError } from '#server/core/errors';
import type { RemoteAbility } from '#server/core/site/remote-site';
import { siteTools } from '#server/integrations/abilities/ability-tools';
import type { ToolContext } from '#server/tools/tool';
import { testConnection } from '#server/wordpress/client/create-wordpress-client';
import { mirrorOf, type MirroredSite, SITE_ID } from '#tests/peers/support/mirrored-site';
import { differences, dumpDatabase } from '#tests/peers/support/whole-database';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';

const PLUGIN = projectPath('tests/peers/support/wordpress/abilities-plugin.php');

describe.skipIf(!hasWordPress)("abilities of a WordPress's plugins", () => {
  let wordpress: WordPressServer;
  let mirror: MirroredSite;
  let abilities: readonly RemoteAbility[];
  beforeAll(async () => {
    wordpress = await startWordPress();
    const plugin = readFileSync(PLUGIN).toString('base64');
    await wordpress.php(
      `wp_mkdir_p(WPMU_PLUGIN_DIR); file_put_contents(WPMU_PLUGIN_DIR . '/abilities.php', base64_decode('${plugin}'));`,
    );
    const tested = await testConnection({ ...wordpress, fetch });
    abilities = (tested.ok && tested.abilities.tools) || [];
    mirror = await mirrorOf(wordpress, { freshForMs: 0 });
  });
  afterAll(async () => {
    await mirror?.[Symbol.asyncDispose]();
    await wordpress?.[Symbol.asyncDispose]();
  });

  /** Runs a tool as a conversation does. */
  async function run(name: string, input: object, toolCallId: string) {
    const origin: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1', toolCallId };
    const tools = siteTools(SITE_ID, abilities, mirror.runAbility!);
    const { tool } = tools.find((each) => each.tool.name === `${SITE_ID}__${name}`)!;
    const context = { origin, signal: AbortSignal.timeout(60_000) } as unknown as ToolContext;
    return tool.execute(tool.input.parse(input), context);
  }

  it('is read when the site connects, all pages of it, as tools of this site that ask first', () => {
    expect(abilities).toHaveLength(125);
    expect(abilities.find(({ name }) => name === 'peer/set-title')).toMatchObject({
      label: 'Peer peer/set-title',
      method: 'POST',
      input: { type: 'object', required: ['id'] },
      output: {},
    });
    const tools = siteTools(SITE_ID, abilities, mirror.runAbility!);
    expect(tools.every(({ siteId, tool }) => siteId === SITE_ID && tool.policy === 'ask' && tool.writes)).toBe(true);
  });

  it('reads with the method that each takes, with its input', async () => {
    const read = await run('peer_site-info', { fields: ['name', 'url'] }, 'call_read');
    expect(read).toEqual({ result: { name: expect.any(String) as string, asked: ['name', 'url'] } });
    await expect(run('peer_set-title', { title: 'No id' }, 'call_wrong')).rejects.toThrow(InvalidInputError);
    await expect(run('peer_fail', {}, 'call_fail')).rejects.toThrow('The peer is broken.');
  });

  it('records what it changes with the previous value, which an undo brings back', async () => {
    const { id, draft } = await mirror.content.get('sample-page');
    const remoteId = Number(await wordpress.php("echo get_page_by_path('sample-page')->ID;"));
    // Another user's earlier change is not attributed to the call.
    await wordpress.php(`wp_update_post(['ID' => ${remoteId}, 'post_excerpt' => 'By somebody else']);`);
    const before = await dumpDatabase(wordpress);
    const done = await run('peer_set-title', { id: remoteId, title: 'By the plugin' }, 'call_title');
    expect(done).toMatchObject({ changed: [{ id, title: 'By the plugin' }] });
    const [change, ...others] = await mirror.content.changes({ toolCallId: 'call_title' });
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      origin: { actor: 'assistant', sessionId: 'ses_1', toolCallId: 'call_title' },
      inverse: [{ op: 'set', field: 'title', value: draft.title }],
    });
    await mirror.content.undo(change!.id, { actor: 'user', sessionId: 'ses_1' });
    expect(differences(before, await dumpDatabase(wordpress))).toEqual([]);
  });

  it('records a deletion, and reports changes of things that are not copied here', async () => {
    const { entry } = await mirror.content.create({ type: 'page', title: 'Goes' }, { actor: 'user' });
    const { remoteId } = (await mirror.client.entries.heads('page')).at(-1)!;
    const done = await run('peer_delete-page', { id: remoteId }, 'call_delete');
    expect(done).toMatchObject({ changed: [{ id: entry.id, title: 'Goes' }] });
    expect(await mirror.content.changes({ toolCallId: 'call_delete' })).toMatchObject([{ action: 'delete' }]);
    const counted = await run('peer_count', {}, 'call_count');
    expect(counted).toEqual({ result: 1, note: expect.stringMatching(/undo cannot take it back/) as string });
    expect(await mirror.content.changes({ toolCallId: 'call_count' })).toEqual([]);
  });
});
