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
  Plus,
  SquareArrowOutUpRight,
  Trash2,
  X,
} from 'lucide-react';
import { Toolbar } from 'radix-ui';
import type { ComponentProps, PointerEvent, ReactNode } from 'react';
import type { Chosen } from '#components/editor/model/selection.ts';
import { layouts } from '#sections/kinds';
import { fieldLabels, kindName, layoutName, sectionTitle } from '#components/editor/model/field-labels.ts';
import type { PageEditor } from '#components/editor/model/page-editor.ts';
import { translator } from '#components/i18n.ts';
import { usePanelActions } from '#components/editor/actions/panel-actions.ts';
import { duplicateSection, removeSection, stepSection } from '#components/editor/model/section-actions.ts';
import { Tip } from '#components/ui/tip';
import { Menu } from '#components/ui/menus';
import { MenuChoice, MenuChoices } from '#components/ui/menu-rows';

const t = translator('pageSections');

interface SectionBarProps {
  readonly chosen: Chosen;
  readonly editor: PageEditor;
  /** Number of sections of the page, and the index of this one. */
  readonly count: number;
  readonly index: number;
  /** Follows the link that was clicked in the section; absent without one. */
  readonly onOpenLink?: (() => void) | undefined;
  /** Moves the focus to the message field. */
  readonly onAsk: () => void;
  /** Begins to drag the section. */
  readonly onGrab: (event: PointerEvent) => void;
  /** Clears the choice of the section. */
  readonly onClear: () => void;
  /** True for a sheet at the bottom of a small screen. */
  readonly isNarrow: boolean;
}

/** Toolbar of the chosen section. */
export function SectionBar({ chosen, editor, count, index, isNarrow, ...on }: SectionBarProps) {
  const { sectionId, kind } = chosen;
  const { editSection, addSection } = usePanelActions();
  const grip = (
    <span
      title={t('drag')}
      onPointerDown={on.onGrab}
      className="flex min-w-0 cursor-grab touch-none items-center gap-1 py-2 pr-2 pl-1 text-xs font-medium select-none"
    >
      <GripVertical aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      <span className="truncate">{isNarrow ? sectionTitle(kind, chosen.name) : kindName(kind)}</span>
    </span>
  );
  const main = (
    <>
      <Action
        label={t('ask')}
        text={isNarrow ? t('askShort') : undefined}
        icon={<MessageCircleQuestionMark aria-hidden />}
        onAct={on.onAsk}
      />
      <Action
        label={t('edit')}
        text={isNarrow ? t('edit') : undefined}
        icon={<PencilLine aria-hidden />}
        onAct={() => editSection(sectionId)}
      />
    </>
  );
  const { entry, document } = editor.getState();
  /** True for a section of a connected CMS that has no equivalent here. */
  const isForeign = document?.sections.find(({ id }) => id === sectionId)?.fields['block'] !== undefined;
  const editUrl = isForeign ? entry?.editUrl : undefined;
  const clear = <Action label={t('letGo')} icon={<X aria-hidden />} onAct={on.onClear} />;
  const others = (
    <>
      {editUrl && (
        <Action
          label={t('editInCms')}
          icon={<SquareArrowOutUpRight aria-hidden />}
          onAct={() => window.open(editUrl, '_blank', 'noopener')}
        />
      )}
      {on.onOpenLink && <Action label={t('openLink')} icon={<ExternalLink aria-hidden />} onAct={on.onOpenLink} />}
      <Action
        label={t('up')}
        icon={<ArrowUp aria-hidden />}
        isOff={index === 0}
        onAct={() => void stepSection(editor, sectionId, -1)}
      />
      <Action
        label={t('down')}
        icon={<ArrowDown aria-hidden />}
        isOff={index === count - 1}
        onAct={() => void stepSection(editor, sectionId, 1)}
      />
      <LayoutMenu sectionId={sectionId} kind={kind} editor={editor} />
      <Action
        label={t('duplicate')}
        icon={<CopyPlus aria-hidden />}
        onAct={() => void duplicateSection(editor, sectionId)}
      />
      <Action label={t('addBelow')} icon={<Plus aria-hidden />} onAct={() => addSection(index + 1)} />
      <Action label={t('remove')} icon={<Trash2 aria-hidden />} onAct={() => void removeSection(editor, sectionId)} />
    </>
  );
  return (
    <Toolbar.Root
      aria-label={t('bar', { kind: kindName(kind) })}
      className={clsx(
        'pointer-events-auto border-rule-strong bg-sheet p-1 font-sans text-ink shadow-sheet',
        isNarrow
          ? // A panel replaces it.
            'rounded-t-xl border-t px-2 pb-2 [body:has([data-panel])_&]:hidden'
          : 'flex items-center gap-0.5 rounded-lg border',
      )}
    >
      {isNarrow ? (
        <>
          <div className="flex items-center justify-between">
            {grip}
            {clear}
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
          {clear}
        </>
      )}
    </Toolbar.Root>
  );
}

interface LayoutMenuProps {
  readonly editor: PageEditor;
  readonly sectionId: Chosen['sectionId'];
  readonly kind: Chosen['kind'];
}

/** Layouts of a kind of section; renders nothing if it has only one. */
function LayoutMenu({ sectionId, kind, editor }: LayoutMenuProps) {
  if (layouts[kind].length === 0) return null;
  const { label } = fieldLabels(kind, 'layout');
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
        {['', ...layouts[kind]].map((value) => (
          <MenuChoice key={value} value={value}>
            {layoutName(kind, value)}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  );
}

interface ActionProps extends Omit<ComponentProps<typeof Toolbar.Button>, 'children'> {
  readonly label: string;
  readonly icon: ReactNode;
  /** Visible label, for devices without a pointer to hover with. */
  readonly text?: string | undefined;
  /** True if the action has no effect now; the button is not disabled, because it may have the focus. */
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
