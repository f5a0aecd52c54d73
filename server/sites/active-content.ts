import type { AssetLibrary, ContentBackend } from '#server/content/content-backend';
import { MAX_STANDING_TOKENS } from '#server/content/standing-instructions';
import { countTokens } from '#server/context/tokens';
import type { StandingReport } from '#server/core/content';
import { standingText } from '#server/core/engine-words';

/** A function that calls the same method of whatever `target` is when it is called. */
function follow<T extends object, Name extends keyof T>(target: () => T, name: Name): T[Name] {
  const method = (...given: unknown[]) => (target()[name] as (...args: unknown[]) => unknown)(...given);
  return method as T[Name];
}

/**
 * The content of the site that is active, whichever it is by then: for whoever holds on to one backend. A call that has
 * begun stays with the site that it began on.
 * @param current asked at every call
 */
export function createActiveContent(current: () => ContentBackend): ContentBackend {
  const asset = <Name extends keyof AssetLibrary>(name: Name) => follow(() => current().assets, name);
  const on = <Name extends keyof ContentBackend>(name: Name) => follow(current, name);
  let drafts: ContentBackend | undefined;
  return {
    capabilities: on('capabilities'),
    draftsOnly: () => (drafts ??= createActiveContent(() => current().draftsOnly())),
    types: on('types'),
    type: on('type'),
    query: on('query'),
    find: on('find'),
    get: on('get'),
    getBySection: on('getBySection'),
    refOf: on('refOf'),
    findByPath: on('findByPath'),
    pathOf: on('pathOf'),
    previewUrl: on('previewUrl'),
    search: on('search'),
    referencesTo: on('referencesTo'),
    create: on('create'),
    patch: on('patch'),
    validate: on('validate'),
    publish: on('publish'),
    schedule: on('schedule'),
    unpublish: on('unpublish'),
    discardDraft: on('discardDraft'),
    trash: on('trash'),
    restore: on('restore'),
    versions: on('versions'),
    version: on('version'),
    restoreVersion: on('restoreVersion'),
    assets: {
      list: asset('list'),
      get: asset('get'),
      isServedAs: asset('isServedAs'),
      isPublished: asset('isPublished'),
      read: asset('read'),
      download: asset('download'),
      add: asset('add'),
      update: asset('update'),
      replace: asset('replace'),
      trash: asset('trash'),
      restore: asset('restore'),
    },
    navigation: on('navigation'),
    setNavigation: on('setNavigation'),
    settings: on('settings'),
    updateSettings: on('updateSettings'),
    standingInstructions: on('standingInstructions'),
    setStandingInstructions: on('setStandingInstructions'),
    redirects: on('redirects'),
    tags: on('tags'),
    changes: on('changes'),
    change: on('change'),
    newestStanding: on('newestStanding'),
    undo: on('undo'),
    undoAll: on('undoAll'),
  };
}

/** The site's standing instructions, in memory for whoever cannot wait. */
export interface Standing {
  /** As models read them; empty where there are none. */
  readonly current: () => string;
  /**
   * Reads what is stored, whoever wrote it, in this process or in another: before each request to a model, and before
   * one is looked at. So it needs no signal, and a change is never missed.
   */
  readonly refresh: () => Promise<void>;
  /** What is stored, and what it costs. */
  readonly report: () => Promise<StandingReport>;
}

/** Reads what is stored. */
export async function createStanding(content: Pick<ContentBackend, 'standingInstructions'>): Promise<Standing> {
  let text = '';
  let begun = 0;
  let taken = 0;
  const refresh = async () => {
    const read = (begun += 1);
    const instructions = await content.standingInstructions();
    // One that began earlier may end later.
    if (read < taken) return;
    taken = read;
    text = standingText(instructions);
  };
  await refresh();
  return {
    current: () => text,
    refresh,
    async report() {
      const instructions = await content.standingInstructions();
      return { ...instructions, tokens: countTokens(standingText(instructions)), maxTokens: MAX_STANDING_TOKENS };
    },
  };
}
