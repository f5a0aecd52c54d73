import {
  AlignCenter,
  AlignLeft,
  AlignRight,
  ArrowDown,
  ArrowDownToLine,
  ArrowLeft,
  ArrowLeftToLine,
  ArrowRight,
  ArrowRightToLine,
  ArrowUp,
  ArrowUpToLine,
  Check,
  type LucideIcon,
  RemoveFormatting,
  Table,
  Trash2,
} from 'lucide-react';
import { Toolbar } from 'radix-ui';
import { type TableContext, insertTable, tableCommands } from '#components/editor/rich-text/table-commands.ts';
import type { RichText } from '#components/editor/rich-text/rich-text.ts';
import { toolStyle, ToolTrigger } from '#components/editor/rich-text/tool-trigger';
import { translator } from '#components/i18n.ts';
import { MenuChoice, MenuChoices, MenuItem } from '#components/ui/menu-rows';
import { afterMenu, Menu } from '#components/ui/menus';
import { Tip } from '#components/ui/tip';

const t = translator('richText.tables');

interface Row {
  readonly name: keyof typeof tableCommands;
  readonly icon: LucideIcon;
  readonly isOff?: (table: TableContext) => boolean;
  readonly isChecked?: (table: TableContext) => boolean;
}

const GROUPS: readonly (readonly Row[])[] = [
  [
    { name: 'rowAbove', icon: ArrowUpToLine },
    { name: 'rowBelow', icon: ArrowDownToLine },
    { name: 'rowUp', icon: ArrowUp, isOff: (table) => table.isFirstRow },
    { name: 'rowDown', icon: ArrowDown, isOff: (table) => table.isLastRow },
  ],
  [
    { name: 'columnBefore', icon: ArrowLeftToLine },
    { name: 'columnAfter', icon: ArrowRightToLine },
    { name: 'columnLeft', icon: ArrowLeft, isOff: (table) => table.isFirstColumn },
    { name: 'columnRight', icon: ArrowRight, isOff: (table) => table.isLastColumn },
  ],
  [
    { name: 'headerRow', icon: Table, isChecked: (table) => table.hasHeaderRow },
    { name: 'headerColumn', icon: Table, isChecked: (table) => table.hasHeaderColumn },
  ],
  [
    { name: 'deleteRow', icon: Trash2 },
    { name: 'deleteColumn', icon: Trash2 },
    { name: 'deleteTable', icon: Trash2 },
  ],
];

/** Alignments of a column, of which one is chosen. */
const ALIGNMENTS = [
  { value: 'none', name: 'alignNone', icon: RemoveFormatting },
  { value: 'left', name: 'alignLeft', icon: AlignLeft },
  { value: 'center', name: 'alignCenter', icon: AlignCenter },
  { value: 'right', name: 'alignRight', icon: AlignRight },
] as const;

interface TableMenuProps {
  readonly text: RichText;
  /** The table around the cursor; null: none. */
  readonly table: TableContext | null;
  readonly isDisabled: boolean;
}

/** Inserts a table; within one, the menu of its rows and columns. */
export function TableMenu({ text, table, isDisabled }: TableMenuProps) {
  if (table === null) {
    return (
      <Tip text={t('insert')}>
        <Toolbar.Button
          aria-label={t('insert')}
          disabled={isDisabled}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => text.run(insertTable)}
          className={toolStyle}
        >
          <Table aria-hidden />
        </Toolbar.Button>
      </Tip>
    );
  }
  return (
    <Menu
      align="start"
      trigger={
        <ToolTrigger label={t('menu')} isOn>
          <Table aria-hidden />
        </ToolTrigger>
      }
    >
      <div className="max-h-[min(36rem,70dvh)] overflow-y-auto">
        <MenuChoices
          value={table.align ?? 'none'}
          onValueChange={(value) => {
            const chosen = ALIGNMENTS.find((each) => each.value === value);
            if (chosen) afterMenu(() => text.run(tableCommands[chosen.name]));
          }}
        >
          {ALIGNMENTS.map(({ value, name, icon: Icon }) => (
            <MenuChoice key={value} value={value}>
              <Icon aria-hidden />
              <span className="flex-1">{t(name)}</span>
            </MenuChoice>
          ))}
        </MenuChoices>
        {GROUPS.map((rows) => (
          <div key={rows[0]?.name} className="border-t border-rule py-1">
            {rows.map(({ name, icon: Icon, isOff, isChecked }) => (
              <MenuItem
                key={name}
                {...(isChecked !== undefined && { role: 'menuitemcheckbox', 'aria-checked': isChecked(table) })}
                disabled={isOff?.(table) ?? false}
                onSelect={() => afterMenu(() => text.run(tableCommands[name]))}
                className="data-[disabled]:text-ink-3"
              >
                <Icon aria-hidden />
                <span className="flex-1">{t(name)}</span>
                {isChecked?.(table) === true && <Check aria-hidden />}
              </MenuItem>
            ))}
          </div>
        ))}
      </div>
    </Menu>
  );
}
