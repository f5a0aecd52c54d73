import { addMedia } from '#server/tools/add-media';
import { addSection } from '#server/tools/add-section';
import { askUser } from '#server/tools/ask-user';
import { createContent } from '#server/tools/create-content';
import { deleteContent } from '#server/tools/delete-content';
import { describeSections } from '#server/tools/describe-sections';
import { getContent } from '#server/tools/get-content';
import { getNavigation } from '#server/tools/get-navigation';
import { getSettings } from '#server/tools/get-settings';
import { listContent } from '#server/tools/list-content';
import { listMedia } from '#server/tools/list-media';
import { listRevisions } from '#server/tools/list-revisions';
import { moveSection } from '#server/tools/move-section';
import { publishContent } from '#server/tools/publish-content';
import { recallOutput } from '#server/tools/recall-output';
import { rememberInstruction } from '#server/tools/remember-instruction';
import { removeSection } from '#server/tools/remove-section';
import { searchContent } from '#server/tools/search-content';
import { searchHistory } from '#server/tools/search-history';
import { setNavigation } from '#server/tools/set-navigation';
import { setSettings } from '#server/tools/set-settings';
import type { Tool, Toolbox } from '#server/tools/tool';
import { undo } from '#server/tools/undo';
import { unpublishContent } from '#server/tools/unpublish-content';
import { updateContent } from '#server/tools/update-content';
import { updateMedia } from '#server/tools/update-media';
import { updateSection } from '#server/tools/update-section';

/** Every tool of ours, in the order in which models are offered them (fixed, so that prompt caches hold). */
export const tools: readonly Tool[] = [
  listContent,
  getContent,
  searchContent,
  createContent,
  updateContent,
  deleteContent,
  publishContent,
  unpublishContent,
  addSection,
  updateSection,
  moveSection,
  removeSection,
  describeSections,
  listMedia,
  addMedia,
  updateMedia,
  getNavigation,
  setNavigation,
  getSettings,
  setSettings,
  rememberInstruction,
  listRevisions,
  undo,
  askUser,
  searchHistory,
  recallOutput,
];

const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));

/** The tool of this name, or undefined where there is none. */
export function findTool(name: string): Tool | undefined {
  return toolsByName.get(name);
}

/** Our own tools and no others. */
export const ownTools: Toolbox = { tools, find: findTool };
