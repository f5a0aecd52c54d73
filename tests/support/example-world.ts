import { expect } from 'vitest';
import { z } from 'zod';
import { sampleIds, samplePassword } from '#app/api-examples';
import type { AccountsServer } from '#tests/support/accounts-server';
import { colouredPicture } from '#tests/support/pictures';

type Sample = keyof typeof sampleIds;
type Made = Partial<Record<Sample, string>>;

const withId = z.object({ id: z.string() });
const withChange = z.object({ change: withId });

/** A model whose provider never answers. */
const HANGING_MODEL = 'openai/gpt-4o';

/** Questions, each answered by a tool with much to say: something to clear, to summarize and to find. */
const conversation = Array.from({ length: 12 }, (_, index) => {
  const call = { toolCallId: `call_${index}`, toolName: 'fetch_report' };
  const value = `Report ${index}: ${'all is well in the studio and the kiln is warm, '.repeat(300)}`;
  return [
    { role: 'user', content: `What does report ${index} say?` },
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { index } }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value } }] },
    { role: 'assistant', content: [{ type: 'text', text: `Report ${index} is fine.` }] },
  ];
}).flat();

/** As small as an export of WordPress can be. */
export const exampleWxr = Buffer.from(
  '<rss><channel><title>Old site</title><link>https://old.example</link></channel></rss>',
);

const said = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });

/** Creates on a server what an example names, new each time, so that examples do not share it. */
export class ExampleWorld {
  readonly #server: AccountsServer;
  #made = 0;

  constructor(server: AccountsServer) {
    this.#server = server;
  }

  /** The example with ids of existing things. */
  async fill<T>(example: T): Promise<T> {
    const text = JSON.stringify(example);
    const made: Made = {};
    for (const name of Object.keys(sampleIds) as Sample[]) {
      if (text.includes(sampleIds[name])) made[name] = await this.#make(name, made);
    }
    const filled = Object.entries(made).reduce(
      (all, [name, id]) => all.replaceAll(sampleIds[name as Sample], id),
      text,
    );
    return JSON.parse(filled) as T;
  }

  async #make(name: Sample, made: Made): Promise<string> {
    const number = (this.#made += 1);
    const session = async () => (made.session ??= await this.#newSession());
    switch (name) {
      case 'session':
        return await session();
      case 'compaction': {
        return withId.parse(await this.#send(`/api/sessions/${await session()}/compact`)).id;
      }
      case 'response':
        return withId.parse(await this.#send('/v1/responses', { model: 'throughline/offline', input: 'Hello' })).id;
      case 'queued': {
        const id = await session();
        await this.#startTurn(id, HANGING_MODEL);
        return withId.parse(await this.#send('/api/message/queue', { sessionId: id, message: said('And the posts') }))
          .id;
      }
      case 'approval': {
        const id = await session();
        await this.#newPage(`Page ${number}`);
        const message = said(`Delete the page "Page ${number}"`);
        await this.#server.ask(this.#server.people.owner, { method: 'POST', path: '/api/chat', body: { id, message } });
        const waiting = await this.#get(`/api/sessions/${id}/approvals`);
        return z.object({ items: z.tuple([z.object({ approvalId: z.string() })]) }).parse(waiting).items[0].approvalId;
      }
      case 'attachment':
        return withId.parse(await this.#send(`/api/sessions/${await session()}/attachments`, Buffer.from('Notes'))).id;
      case 'slug':
        return (await this.#newPage(`Open evening ${number}`)).slug;
      case 'trashed': {
        const { id } = await this.#newPage(`Old page ${number}`);
        await this.#send(`/api/content/pages/${id}`, undefined, 'DELETE');
        return id;
      }
      case 'change':
        return (await this.#newPage(`New page ${number}`)).changeId;
      case 'importRun':
        return await this.#newImport();
      case 'asset':
        return await this.#newPicture(number);
      case 'trashedAsset': {
        const id = await this.#newPicture(number);
        await this.#send(`/api/content/media/${id}`, undefined, 'DELETE');
        return id;
      }
      case 'toolServer': {
        const transport = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
        const body = { name: `server-${number}`, transport, isEnabled: false };
        const { items } = z
          .object({ items: z.array(withId) })
          .parse(await this.#send('/api/settings/mcp-servers', body));
        return items.at(-1)?.id ?? '';
      }
      case 'site':
        // None is connected here: only answers that were not recorded name one.
        return sampleIds.site;
      case 'wish':
        // Only a model keeps one.
        return sampleIds.wish;
      case 'key': {
        const body = { name: `Key ${number}`, scopes: ['chat'] };
        return z.object({ apiKey: withId }).parse(await this.#send('/api/keys', body)).apiKey.id;
      }
      case 'callRequest': {
        const { slug } = await this.#newPage(`Page ${number}`);
        const params = { name: 'delete_content', arguments: { ref: slug } };
        const answer = await this.#server.ask(this.#server.people.owner, {
          method: 'POST',
          path: '/mcp',
          headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
          body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        });
        const waiting = z.object({ result: z.object({ structuredContent: z.object({ requestId: z.string() }) }) });
        return waiting.parse(answer.json()).result.structuredContent.requestId;
      }
      case 'person': {
        const body = { name: 'Ben', email: `ben-${number}@example.com`, password: samplePassword, role: 'editor' };
        return withId.parse(await this.#send('/api/users', body)).id;
      }
      case 'email': {
        const email = `mara-${number}@example.com`;
        await this.#send('/api/users', { name: 'Mara', email, password: samplePassword, role: 'editor' });
        return email;
      }
    }
  }

  async #newSession(): Promise<string> {
    const { id } = withId.parse(await this.#send('/api/sessions', { title: 'Reports' }));
    await this.#send(`/api/sessions/${id}/import`, { messages: conversation });
    return id;
  }

  async #newPage(title: string) {
    const made = await this.#send('/api/content/pages', { title });
    const { entry } = z
      .object({ entry: z.object({ id: z.string(), draft: z.object({ slug: z.string() }) }) })
      .parse(made);
    await this.#send(`/api/content/pages/${entry.id}/publish`);
    const changed = await this.#send(`/api/content/pages/${entry.id}`, { excerpt: 'Soon.' }, 'PATCH');
    return { id: entry.id, slug: entry.draft.slug, changeId: withChange.parse(changed).change.id };
  }

  /** One that has ended. */
  async #newImport(): Promise<string> {
    const { id } = withId.parse(await this.#send('/api/content/imports?filename=old-site.xml', exampleWxr));
    const status = async () =>
      z.object({ status: z.string() }).parse(await this.#get(`/api/content/imports/${id}`)).status;
    await expect.poll(status).not.toBe('running');
    return id;
  }

  async #newPicture(number: number): Promise<string> {
    const bytes = await colouredPicture(`#${(0x100000 + number).toString(16)}`);
    const made = await this.#send('/api/content/media?filename=kiln.png', bytes);
    return z.object({ asset: withId }).parse(made).asset.id;
  }

  /** It continues without listeners. */
  async #startTurn(id: string, modelId: string): Promise<void> {
    const { url, origin, people } = this.#server;
    const response = await fetch(`${url}/api/chat`, {
      method: 'POST',
      headers: { origin, cookie: people.owner.cookie },
      body: JSON.stringify({ id, modelId, message: said('List the pages') }),
    });
    await response.body?.cancel();
  }

  async #send(path: string, body?: unknown, method = 'POST'): Promise<unknown> {
    const answer = await this.#server.ask(this.#server.people.owner, { method, path, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.text === '' ? null : answer.json();
  }

  #get(path: string): Promise<unknown> {
    return this.#send(path, undefined, 'GET');
  }
}
