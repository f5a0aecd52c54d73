import clsx from 'clsx';
import {
  ArrowDown,
  ArrowUp,
  CopyPlus,
  ExternalLink,
  GripVertical,
  LayoutTemplate,
  MessageCircleQuestionMark,
  PencilLine,
  SquareArrowOutUpRight,
  Trash2,
  X,
} from 'lucide-react';
import { Toolbar } from 'radix-ui';
import type { ComponentProps, PointerEvent, ReactNode } from 'react';
import type { Chosen } from '#components/editor/chosen';
import { kindWords } from '#components/editor/field-words';
import type { PageEditor } from '#components/editor/page-editor';
import { pointStrings as say } from '#components/editor/words';
import { duplicateSection, removeSection, stepSection } from '#components/editor/structure';
import { askDesk } from '#components/desk/desk-requests';
import { Tip } from '#components/ui/buttons';
import { Menu } from '#components/ui/menus';
import { MenuChoice, MenuChoices } from '#components/ui/menu-rows';

interface SectionBarProps {
  readonly chosen: Chosen;
  readonly editor: PageEditor;
  /** Number of sections of the page, and the place of this one. */
  readonly count: number;
  readonly index: number;
  /** Follows the link that was clicked in the section; absent where none was. */
  readonly onOpenLink?: (() => void) | undefined;
  readonly onAsk: () => void;
  readonly onGrab: (event: PointerEvent) => void;
  readonly onLetGo: () => void;
  /** A sheet at the bottom of a small screen. */
  readonly isNarrow: boolean;
}

/** Bar of the chosen section: what can be done with it. */
export function SectionBar({ chosen, editor, count, index, isNarrow, ...on }: SectionBarProps) {
  const { sectionId, kind } = chosen;
  const { name } = kindWords[kind];
  const grip = (
    <span
      title={say.drag}
      onPointerDown={on.onGrab}
      className="flex min-w-0 cursor-grab touch-none items-center gap-1 py-2 pr-2 pl-1 text-xs font-medium select-none"
    >
      <GripVertical aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      <span className="truncate">{isNarrow ? say.section(name, chosen.name) : name}</span>
    </span>
  );
  const main = (
    <>
      <Action
        label={say.ask}
        text={isNarrow ? say.askShort : undefined}
        icon={<MessageCircleQuestionMark aria-hidden />}
        onAct={on.onAsk}
      />
      <Action
        label={say.edit}
        text={isNarrow ? say.edit : undefined}
        icon={<PencilLine aria-hidden />}
        onAct={() => askDesk('edit-section', { sectionId })}
      />
    </>
  );
  const { entry, document } = editor.getState();
  const isForeign = document?.sections.find(({ id }) => id === sectionId)?.fields['block'] !== undefined;
  const editUrl = isForeign ? entry?.editUrl : undefined;
  const letGo = <Action label={say.letGo} icon={<X aria-hidden />} onAct={on.onLetGo} />;
  const others = (
    <>
      {editUrl && (
        <Action
          label={say.editInCms}
          icon={<SquareArrowOutUpRight aria-hidden />}
          onAct={() => window.open(editUrl, '_blank', 'noopener')}
        />
      )}
      {on.onOpenLink && <Action label={say.openLink} icon={<ExternalLink aria-hidden />} onAct={on.onOpenLink} />}
      <Action
        label={say.up}
        icon={<ArrowUp aria-hidden />}
        isOff={index === 0}
        onAct={() => void stepSection(editor, sectionId, -1)}
      />
      <Action
        label={say.down}
        icon={<ArrowDown aria-hidden />}
        isOff={index === count - 1}
        onAct={() => void stepSection(editor, sectionId, 1)}
      />
      <LayoutMenu sectionId={sectionId} kind={kind} editor={editor} />
      <Action
        label={say.duplicate}
        icon={<CopyPlus aria-hidden />}
        onAct={() => void duplicateSection(editor, sectionId)}
      />
      <Action label={say.remove} icon={<Trash2 aria-hidden />} onAct={() => void removeSection(editor, sectionId)} />
    </>
  );
  return (
    <Toolbar.Root
      aria-label={say.bar(name)}
      className={clsx(
        'pointer-events-auto border-rule-strong bg-sheet p-1 font-sans text-ink shadow-sheet',
        isNarrow
          ? // A panel takes its place.
            'rounded-t-xl border-t px-2 pb-2 [body:has([data-panel])_&]:hidden'
          : 'flex items-center gap-0.5 rounded-lg border',
      )}
    >
      {isNarrow ? (
        <>
          <div className="flex items-center justify-between">
            {grip}
            {letGo}
          </div>
          <div className="flex flex-wrap items-center justify-between">
            {main}
            {others}
          </div>
        </>
      ) : (
        <>
          {grip}
          {main}
          {others}
          {letGo}
        </>
      )}
    </Toolbar.Root>
  );
}

/** Looks that a kind of section can have; nothing where it has one alone. */
function LayoutMenu({ sectionId, kind, editor }: { readonly editor: PageEditor } & Pick<Chosen, 'sectionId' | 'kind'>) {
  const { label, choices } = kindWords[kind].fields?.layout ?? {};
  if (label === undefined || choices === undefined) return null;
  const section = editor.getState().document?.sections.find(({ id }) => id === sectionId);
  const layout = section?.fields['layout'];
  return (
    <Menu align="start" trigger={<Action label={label} icon={<LayoutTemplate aria-hidden />} />}>
      <MenuChoices
        value={typeof layout === 'string' ? layout : ''}
        onValueChange={(value) =>
          void editor.apply([{ op: 'set-section', sectionId, fields: { layout: value === '' ? null : value } }])
        }
      >
        {Object.entries(choices).map(([value, name]) => (
          <MenuChoice key={value} value={value}>
            {name}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  );
}

interface ActionProps extends Omit<ComponentProps<typeof Toolbar.Button>, 'children'> {
  readonly label: string;
  readonly icon: ReactNode;
  /** Stands in it, where there is no pointer to ask for its name. */
  readonly text?: string | undefined;
  /** True if it can do nothing now; it stays where the focus may be. */
  readonly isOff?: boolean;
  readonly onAct?: () => void;
}

function Action({ label, icon, text, isOff = false, onAct, ...props }: ActionProps) {
  return (
    <Tip text={label}>
      <Toolbar.Button
        aria-label={label}
        aria-disabled={isOff}
        {...(onAct && !isOff && { onClick: onAct })}
        {...props}
        className={clsx(
          'inline-flex shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors hover:bg-ink/6 hover:text-ink aria-disabled:text-ink-3/50 aria-disabled:hover:bg-transparent [&_svg]:size-[1.05rem] [&_svg]:stroke-[1.75]',
          text !== undefined ? 'h-11 gap-1.5 border border-rule-strong px-3 text-sm' : 'size-8 max-[899px]:size-11',
        )}
      >
        {icon}
        {text}
      </Toolbar.Button>
    </Tip>
  );
}
