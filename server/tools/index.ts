import { addMedia, listMedia, updateMedia } from '#server/tools/media-tools';
import { addSection, describeSections, moveSection, removeSection, updateSection } from '#server/tools/section-tools';
import { askUser, recallOutput, rememberInstruction } from '#server/tools/conversation-tools';
import { createContent, deleteContent, listContent, updateContent } from '#server/tools/entry-tools';
import { editItems } from '#server/tools/edit-items';
import { editText } from '#server/tools/edit-text';
import { getContent } from '#server/tools/get-content';
import { keepInMind } from '#server/tools/keep-in-mind';
import { searchContent } from '#server/tools/search-content';
import { searchHistory } from '#server/tools/search-history';
import { getNavigation, getSettings, setNavigation, setSettings } from '#server/tools/site-tools';
import { listRevisions } from '#server/tools/list-revisions';
import { undo } from '#server/tools/undo';
import { publishContent, unpublishContent } from '#server/tools/publish-tools';
import type { Tool, Toolbox } from '#server/tools/tool';

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
  editText,
  addSection,
  updateSection,
  editItems,
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
  keepInMind,
  listRevisions,
  undo,
  askUser,
  searchHistory,
  recallOutput,
];

/** Names of the tools that most work needs, the most used first: small windows are offered these. */
export const mostUsed: readonly string[] = [
  'get_content',
  'list_content',
  'recall_output',
  'ask_user',
  'update_section',
  'search_content',
  'search_history',
  'edit_text',
  'publish_content',
  'describe_sections',
  'add_section',
  'keep_in_mind',
  'create_content',
  'edit_items',
  'undo',
  'update_content',
  'get_navigation',
  'set_navigation',
  'remove_section',
  'move_section',
  'list_revisions',
  'delete_content',
];

const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));

/** The tool of this name, or undefined where there is none. */
export function findTool(name: string): Tool | undefined {
  return toolsByName.get(name);
}

/** Our own tools and no others. */
export const ownTools: Toolbox = { tools, find: findTool };
