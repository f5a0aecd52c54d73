import { describe, expect, it } from 'vitest';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { type ScriptedChat, startScriptedChat } from '#tests/support/scripted-chat';
import { finish, type ScriptedStep, says, toolCall } from '#tests/support/scripted-model';
import { decisionsOn } from '#tests/support/decisions';

const asking: ScriptedStep = [
  ...toolCall('c1', 'delete_content', JSON.stringify({ ref: 'about' })),
  ...toolCall('c2', 'get_settings', '{}'),
  finish('tool-calls'),
];
const creating: ScriptedStep = [
  ...toolCall('c0', 'create_content', JSON.stringify({ type: 'page', title: 'About' })),
  finish('tool-calls'),
];

async function decided({ services, session }: ScriptedChat, approved: boolean): Promise<void> {
  await services.chat.decide(
    session.id,
    await decisionsOn(services.chat, session.id, { toolCallId: 'c1', approved }),
    scopesOfRole.admin,
  );
  await services.chat.idle();
}

/** What visitors notice of it. */
const deleted = ({ session }: ScriptedChat) =>
  expect.objectContaining({
    action: 'content-deleted',
    actorName: 'Assistant',
    userId: session.ownerId,
    target: 'About',
    details: expect.objectContaining({ sessionId: session.id }),
  });

const entries = async ({ services }: ScriptedChat) => (await services.audit.list({})).items;

describe('sensitive calls of the assistant', () => {
  it('is in the audit log once it is done, and nothing else is', async () => {
    await using chat = await startScriptedChat([creating, says('Made.'), asking, says('Done.')]);
    await chat.say('Make an about page');
    await chat.say('Delete it');
    expect(await entries(chat)).toEqual([]);
    await decided(chat, true);
    expect(await entries(chat)).toEqual([
      expect.objectContaining({
        action: 'tool-run',
        actorName: 'Assistant',
        userId: chat.session.ownerId,
        target: 'About',
        details: { tool: 'delete_content', sessionId: chat.session.id },
      }),
      deleted(chat),
    ]);
  });

  it('is logged too if the settings allow it without approval', async () => {
    await using chat = await startScriptedChat([creating, says('Made.'), asking, says('Done.')], {
      TOOL_POLICIES: 'delete_content=always',
    });
    await chat.say('Make an about page');
    await chat.say('Delete it');
    expect(await entries(chat)).toEqual([
      expect.objectContaining({ action: 'tool-run', target: 'about' }),
      deleted(chat),
    ]);
  });
});
