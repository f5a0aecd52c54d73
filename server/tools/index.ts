import { addMedia, listMedia, updateMedia } from '#server/tools/media-tools';
import {
  addSection,
  describeSections,
  editItems,
  moveSection,
  removeSection,
  updateSection,
} from '#server/tools/section-tools';
import {
  askUser,
  keepInMind,
  recallOutput,
  rememberInstruction,
  searchHistory,
} from '#server/tools/conversation-tools';
import {
  createContent,
  deleteContent,
  listContent,
  publishContent,
  unpublishContent,
  updateContent,
} from '#server/tools/entry-tools';
import { getDesign, setDesign } from '#server/tools/design-tools';
import { editText } from '#server/tools/edit-text';
import { getContent, listRevisions } from '#server/tools/read-tools';
import { searchContent } from '#server/tools/search-content';
import { getSettings, setSettings } from '#server/tools/settings-tools';
import { getNavigation, setNavigation } from '#server/tools/menu-tools';
import { undo } from '#server/tools/undo';
import type { Tool, Toolbox } from '#server/tools/tool';

/** The built-in tools, in the order in which models are offered them (fixed, so that prompt caches remain valid). */
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
  getDesign,
  setDesign,
  rememberInstruction,
  keepInMind,
  listRevisions,
  undo,
  askUser,
  searchHistory,
  recallOutput,
];

/** Names of the tools that the instructions may require at any time: even the smallest window includes them. */
export const alwaysOffered: readonly string[] = ['get_content', 'ask_user', 'keep_in_mind'];

/** Names of the tools that most other work needs, the most used first: small windows include these first. */
export const frequentTools: readonly string[] = [
  'update_section',
  'recall_output',
  'describe_sections',
  'list_content',
  'search_content',
  'edit_text',
  'add_section',
  'publish_content',
  'search_history',
  'undo',
  'create_content',
  'edit_items',
  'update_content',
  'get_navigation',
  'set_navigation',
  'remove_section',
  'move_section',
  'list_revisions',
  'delete_content',
];

const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));

/** The tool with this name, or undefined. */
export function findTool(name: string): Tool | undefined {
  return toolsByName.get(name);
}

/** The built-in tools as a toolbox, without external tools. */
export const ownTools: Toolbox = { tools, find: findTool };
