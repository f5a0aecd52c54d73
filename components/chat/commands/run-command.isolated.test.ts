import { toast } from 'sonner';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '#components/chat/commands/run-command.ts';

const context = {
  sessionId: 'ses_1',
  workspace: {
    focusComposer: () => undefined,
    togglePreview: () => undefined,
    showHistory: () => undefined,
    showEndOfDay: () => undefined,
    undoChanges: () => undefined,
    restore: () => undefined,
    openPage: () => undefined,
  },
  search: () => undefined,
  openHelp: () => undefined,
  openPage: () => undefined,
  setTheme: () => undefined,
  nameOfModel: (modelId: string) => modelId,
};

describe('/undo', () => {
  /** Changes that stand, the newest last. */
  let standing: string[];
  let undone: string[];
  /** Holds back what takes a change back. */
  let gate: PromiseWithResolvers<void>;

  beforeEach(() => {
    standing = ['chg_1', 'chg_2'];
    undone = [];
    gate = Promise.withResolvers();
    vi.stubGlobal('fetch', async (path: string, init: RequestInit = {}) => {
      if (path.endsWith('/undoable')) {
        const id = standing.at(-1);
        return Response.json(id === undefined ? { kind: null } : { kind: 'change', id, summary: id });
      }
      const { changeId } = JSON.parse(init.body as string) as { changeId: string };
      await gate.promise;
      if (!standing.includes(changeId)) {
        return Response.json({ error: { code: 'conflict', message: 'It was already undone.' } }, { status: 409 });
      }
      standing = standing.filter((id) => id !== changeId);
      undone.push(changeId);
      return Response.json({ change: { id: `undo of ${changeId}` } });
    });
  });
  afterEach(() => {
    toast.dismiss();
    vi.unstubAllGlobals();
  });

  it('undoes two changes when sent twice in a row, also if the first is slow', async () => {
    const both = [1, 2].map(() => runCommand({ name: 'undo', argument: '' }, context));
    gate.resolve();
    await Promise.all(both);
    expect(undone).toEqual(['chg_2', 'chg_1']);
  });
});
