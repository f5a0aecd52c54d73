import { callOnEntry, type Made, Unresolved } from '#server/models/offline/call-on-entry';
import { sentence } from '#server/models/offline/grammar';
import { replyOf } from '#server/models/offline/replies';
import type { Fields, RequestOf } from '#server/models/offline/requests';
import { callOne, type Work } from '#server/models/offline/steps';
import type { World } from '#server/models/offline/world';

/** Creates a page (a hero with its title, then the text) or a post (the text). */
export function* create(request: RequestOf<'create'>, world: World): Work<string> {
  const about = request.about === undefined ? undefined : sentence(request.about);
  const hero = {
    type: 'hero',
    fields: { heading: request.title, ...(about === undefined ? {} : { subheading: about }) },
  };
  const text = { type: 'text', fields: { body: request.text ?? '' } };
  const input: Fields = {
    type: request.type,
    title: request.title,
    ...(about === undefined ? {} : { excerpt: about }),
    ...request.details,
    sections: [...(request.type === 'page' ? [hero] : []), ...(request.text === undefined ? [] : [text])],
  };
  const outcome = yield* callOne('create_content', input);
  if (outcome.kind === 'lost') world.mention(request.title);
  return replyOf({ call: { toolName: 'create_content', input }, outcome });
}

const TOOL_OF = {
  delete: 'delete_content',
  publish: 'publish_content',
  unpublish: 'unpublish_content',
  show: 'get_content',
} as const;

/** Deletes, publishes, unpublishes or shows an entry. */
export function* actOnEntry(request: RequestOf<'delete' | 'publish'>, world: World): Work<string> {
  const toolName = TOOL_OF[request.intent];
  const confirm = request.intent !== 'show';
  const details = request.intent === 'publish' && request.at !== undefined ? { at: request.at } : {};
  return said(yield* callOnEntry(world, request.ref, (ref) => ({ toolName, input: { ref, ...details } }), { confirm }));
}

/** Changes the title, slug, excerpt, author, tags or cover image of an entry. */
export function* changeDetail({ ref, detail, value }: RequestOf<'change-detail'>, world: World): Work<string> {
  return said(
    yield* callOnEntry(world, ref, (id) => ({ toolName: 'update_content', input: { ref: id, [detail]: value } })),
  );
}

/** The newest changes, of one entry or of the site. */
export function* changes({ ref }: RequestOf<'changes'>, world: World): Work<string> {
  if (ref !== undefined && !/^(?:the )?site$/i.test(ref)) {
    return said(yield* callOnEntry(world, ref, (id) => ({ toolName: 'list_revisions', input: { ref: id } })));
  }
  return replyOf({ call: { toolName: 'list_revisions', input: {} }, outcome: yield* callOne('list_revisions', {}) });
}

/** The reply to calls on an entry, or why there were none. */
export function said(made: readonly Made[] | Unresolved): string {
  return made instanceof Unresolved ? made.reply : made.map(replyOf).join('\n');
}
