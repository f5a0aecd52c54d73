import { createClient, LibsqlError } from '@libsql/client';
import { describe, expect, it, vi } from 'vitest';
import { RetryingWriter } from '#server/conversation/step/retrying-writer';
import { type ScriptedChat, foldTurn, startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { type ScriptedStep, finish, hangingStep, says, textBlock, toolCall } from '#tests/support/scripted-model';

const PATIENT = { patience: { writeMs: 300, turnMs: 60_000 } };
const IMPATIENT = { patience: { writeMs: 300, turnMs: 1_000 } };
const SHORT_LEASE = { TURN_LEASE_MS: '1500', TURN_HEARTBEAT_MS: '100' };

/** A chat whose refusals are noted from its start: on a busy machine, the first may come before the lock is held. */
async function startChat(...options: Parameters<typeof startScriptedChat>): Promise<ScriptedChat> {
  const chat = await startScriptedChat(...options);
  vi.spyOn(chat.services.log, 'error');
  return chat;
}

/** A lock that another connection holds, and the refusals that it causes. */
async function lock({ services }: ScriptedChat) {
  // A write of the turn may be under way.
  const { client, held } = await vi.waitFor(() => begin(services.env.DATABASE_URL), { interval: 5 });
  return {
    execute: (sql: string) => held.execute(sql),
    /** Resolves when a write of the turn was refused. */
    refused: () =>
      vi.waitFor(() =>
        expect(services.log.error).toHaveBeenCalledWith(expect.anything(), expect.stringContaining('is tried again')),
      ),
    async release() {
      await held.commit();
      client.close();
    },
  };
}

async function begin(url: string) {
  const client = createClient({ url });
  return { client, held: await client.transaction('write') };
}

/** Streams the first words, then what `during` writes, then the rest. */
function saysAround(during: (write: (words: string) => void) => Promise<void>, ...last: Parameters<typeof finish>) {
  const step: ScriptedStep = async (write) => {
    const say = (words: string) => write({ type: 'text-delta', id: 't', delta: words });
    write({ type: 'text-start', id: 't' });
    say('Before. ');
    await during(say);
    say('After.');
    write({ type: 'text-end', id: 't' });
    write(finish(...last));
  };
  return step;
}

const WHOLE = 'Before. During. After.';

describe('a database that is locked for longer than a write waits', () => {
  it('gets the end of a turn and its usage, and what waits is answered', async () => {
    const held = Promise.withResolvers<Awaited<ReturnType<typeof lock>>>();
    await using chat: ScriptedChat = await startChat(
      [
        saysAround(
          async (say) => {
            await chat.enqueue('And now?');
            held.resolve(await lock(chat));
            say('During. ');
          },
          'stop',
          { input: 70, output: 7 },
        ),
        says('Next.'),
      ],
      {},
      PATIENT,
    );
    const said = chat.say('Hello?');
    const outage = await held.promise;
    await outage.refused();
    await outage.release();
    expect((await said).errors).toEqual([]);
    await chat.services.chat.idle();
    const [user, answer, , next] = await chat.messages();
    expect(answer).toMatchObject({
      status: 'complete',
      usage: { inputTokens: 70 },
      parts: [{ content: { text: WHOLE } }],
    });
    expect(await chat.services.turns.find(user!.turnId!)).toMatchObject({ status: 'completed' });
    expect(next?.parts).toMatchObject([{ content: { text: 'Next.' } }]);
  });

  it('keeps a call from running until it is stored', async () => {
    const held = Promise.withResolvers<Awaited<ReturnType<typeof lock>>>();
    const create = toolCall('c1', 'create_content', '{"type":"page","title":"New"}');
    await using chat: ScriptedChat = await startChat(
      [
        async (write) => {
          textBlock('t', 'I make it.').forEach(write);
          held.resolve(await lock(chat));
          create.forEach(write);
          write(finish('tool-calls'));
        },
        says('Made.'),
      ],
      {},
      PATIENT,
    );
    const said = chat.say('Make a page');
    const outage = await held.promise;
    await outage.refused();
    expect((await chat.services.builtIn.content.query({ type: 'page' })).total).toBe(0);
    expect(chat.requests).toHaveLength(1);
    await outage.release();
    const { message, errors } = await said;
    expect(errors).toEqual([]);
    expect((await chat.services.builtIn.content.query({ type: 'page' })).total).toBe(1);
    const stored = await chat.services.transcript(chat.session.id);
    expect(visibleParts(stored[1]!)).toEqual(visibleParts(message));
  });

  it('keeps the shown text when the user stops the turn', async () => {
    const held = Promise.withResolvers<Awaited<ReturnType<typeof lock>>>();
    await using chat: ScriptedChat = await startChat(
      [
        async (write, options) => {
          write({ type: 'text-start', id: 't' });
          write({ type: 'text-delta', id: 't', delta: 'Before. ' });
          held.resolve(await lock(chat));
          write({ type: 'text-delta', id: 't', delta: 'During.' });
          await new Promise((_, reject) => options.abortSignal?.addEventListener('abort', reject));
        },
      ],
      {},
      PATIENT,
    );
    const said = chat.say('Hello?');
    const outage = await held.promise;
    await outage.refused();
    await chat.services.chat.cancel(chat.session.id).catch(() => undefined);
    await outage.release();
    const { message } = await said;
    expect(message.metadata?.status).toBe('interrupted');
    expect((await chat.messages())[1]).toMatchObject({
      status: 'interrupted',
      parts: [{ state: 'completed', content: { text: 'Before. During.' } }],
    });
  });
});

describe('a database that stays locked', () => {
  it('ends the paid stream, and the user learns that not all is stored', async () => {
    const hanging = hangingStep({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Shown.' });
    const held = Promise.withResolvers<Awaited<ReturnType<typeof lock>>>();
    await using chat: ScriptedChat = await startChat(
      [
        async (write, options) => {
          held.resolve(await lock(chat));
          await hanging.step(write, options);
        },
        says('Here I am.'),
      ],
      SHORT_LEASE,
      IMPATIENT,
    );
    const { message, errors } = await chat.say('Hello?');
    expect(chat.requests[0]?.abortSignal?.aborted).toBe(true);
    expect(message.parts.at(-1)).toMatchObject({ text: 'Shown.' });
    expect(errors).toEqual([expect.stringContaining('could not be stored in full')]);
    const outage = await held.promise;
    await outage.release();

    const [user] = await chat.messages();
    await vi.waitFor(
      async () => expect(await chat.services.turns.find(user!.turnId!)).toMatchObject({ status: 'interrupted' }),
      { interval: 50 },
    );
    expect((await chat.say('And now?')).message.parts.at(-1)).toMatchObject({ text: 'Here I am.' });
  });

  it('until another process takes the turn: nothing more is written, and the user learns it', async () => {
    await using chat: ScriptedChat = await startChat(
      [
        saysAround(async (say) => {
          const held = await lock(chat);
          say('During. ');
          await held.refused();
          await held.execute("UPDATE turns SET status = 'interrupted'");
          await held.release();
        }),
      ],
      {},
      PATIENT,
    );
    const { errors } = await chat.say('Hello?');
    expect(errors).toEqual([expect.stringContaining('taken over')]);
    expect(JSON.stringify(await chat.messages())).not.toContain('After.');
  });

  it('ends its turns when the server stops', async () => {
    const held = Promise.withResolvers<Awaited<ReturnType<typeof lock>>>();
    await using chat: ScriptedChat = await startChat(
      [
        async (write, options) => {
          held.resolve(await lock(chat));
          for (const part of textBlock('t', 'Shown.')) write(part);
          await new Promise((_, reject) => options.abortSignal?.addEventListener('abort', reject));
        },
      ],
      {},
      PATIENT,
    );
    const sent = await chat.send('Hello?');
    if (sent.kind !== 'started') throw new Error('It was queued.');
    const folded = foldTurn(sent.stream);
    const outage = await held.promise;
    await outage.refused();
    await chat.services.chat.close({ limitMs: 0 });
    expect((await folded).errors).toEqual([expect.stringContaining('could not be stored in full')]);
    await outage.release();
  });
});

describe('the patience of a turn', () => {
  const patience = (mostMs: number) =>
    new RetryingWriter({
      turnId: 'trn_1',
      mostMs,
      ending: new AbortController().signal,
      onFault: () => undefined,
    });
  const full = () => new Error('Failed query', { cause: new LibsqlError('database or disk is full', 'SQLITE_FULL') });

  it('lasts for a full disk too, and not for what another try does not change', async () => {
    const write = vi.fn<() => Promise<string>>().mockRejectedValueOnce(full()).mockResolvedValue('written');
    expect(await patience(60_000).write(write)).toBe('written');
    const broken = vi.fn<() => Promise<string>>().mockRejectedValue(new Error('no such table'));
    await expect(patience(60_000).write(broken)).rejects.toThrow('no such table');
    expect(broken).toHaveBeenCalledOnce();
  });

  it('is one for all writes of an outage, and new for the next', async () => {
    const shared = patience(0);
    const write = vi.fn<() => Promise<string>>().mockRejectedValue(full());
    await expect(shared.write(write)).rejects.toThrow('Failed query');
    await expect(shared.write(write)).rejects.toThrow('Failed query');
    expect(write).toHaveBeenCalledTimes(2);
  });
});
