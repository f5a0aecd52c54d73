import {
  CircleHelp,
  Cpu,
  Download,
  Eraser,
  FoldVertical,
  Gauge,
  History,
  Images,
  Inbox,
  type LucideIcon,
  Moon,
  PanelRight,
  PencilLine,
  Search,
  Square,
  SquarePen,
  SunMoon,
  Trash2,
  Undo2,
} from 'lucide-react';
import type { CommandName } from '#components/chat/commands/commands.ts';

const icons: Readonly<Record<CommandName, LucideIcon>> = {
  compact: FoldVertical,
  prune: Eraser,
  undo: Undo2,
  new: SquarePen,
  export: Download,
  model: Cpu,
  stop: Square,
  rename: PencilLine,
  search: Search,
  preview: PanelRight,
  theme: SunMoon,
  help: CircleHelp,
  changes: History,
  done: Moon,
  media: Images,
  messages: Inbox,
  site: PencilLine,
  trash: Trash2,
  admin: Gauge,
};

/** The icon of a command. */
export function CommandIcon({ name }: { readonly name: CommandName }) {
  const Icon = icons[name];
  return <Icon aria-hidden className="size-4 shrink-0 stroke-[1.75] text-ink-3" />;
}
