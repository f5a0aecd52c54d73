'use client';

import {
  ChevronsUpDown,
  ExternalLink,
  History,
  House,
  Monitor,
  PanelRightClose,
  RotateCw,
  Smartphone,
  Tablet,
} from 'lucide-react';
import { Popover, ToggleGroup } from 'radix-ui';
import { useState } from 'react';
import useSWR from 'swr';
import type { Page } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import type { EntryItem } from '#server/core/site-lists';
import { useReloadWhenBack } from '#components/api/use-connection';
import { changesStrings } from '#components/changes/words';
import { DeviceFrame, PreviewFrame } from '#components/chat/preview/preview-frame';
import type { Preview } from '#components/chat/preview/preview-view';
import { previewStrings } from '#components/chat/preview/words';
import { type PreviewDevice, previewDevices } from '#components/desk/layout-preferences';
import { entryAt, previewHref, type PreviewMode, readablePath, sitePathOf } from '#components/desk/preview-path';
import { IconButton, Switch, Tip } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { isComposing } from '#components/ui/hooks';
import type { EntryType } from '#server/core/content';

const PlanControl = fetchedLater(async () => (await import('#components/planned/plan-control')).PlanControl);

interface PreviewPaneProps {
  readonly preview: Preview;
  readonly device: PreviewDevice;
  readonly onDevice: (device: PreviewDevice) => void;
  readonly onHide: () => void;
}

/** The site beside the conversation: the page being edited, as a draft or as published. */
export function PreviewPane({ preview, device, onDevice, onHide }: PreviewPaneProps) {
  const href = previewHref(preview.path, preview.mode);
  const noteLoad = useReloadWhenBack(preview.reload);
  return (
    <section aria-label={previewStrings.label} className="@container flex h-full min-w-0 flex-col">
      <header className="flex min-h-13 shrink-0 flex-wrap items-center gap-1.5 border-b border-rule px-2 pt-2.5 pb-[9px]">
        <EntryPicker path={preview.path} onPick={preview.goTo} />
        <Switch label={previewStrings.mode} value={preview.mode} choices={modes} onChange={preview.setMode} />
        <DeviceSwitch device={device} onChange={onDevice} />
        <PlanControl path={preview.path} />
        <HistoryButton path={preview.path} />
        <IconButton
          label={previewStrings.reload}
          icon={<RotateCw aria-hidden />}
          onClick={preview.reload}
          className="@max-md:hidden"
        />
        <IconButton
          label={previewStrings.openTab}
          icon={<ExternalLink aria-hidden />}
          onClick={() => window.open(href, '_blank', 'noopener')}
        />
        <IconButton
          label={previewStrings.hide}
          icon={<PanelRightClose aria-hidden />}
          onClick={onHide}
          className="max-[899px]:hidden"
        />
      </header>
      <div className="min-h-0 flex-1">
        <DeviceFrame device={device}>
          <PreviewFrame
            src={href}
            sectionIds={preview.mode === 'draft' ? preview.sectionIds : []}
            version={preview.version}
            title={preview.path}
            onNavigated={(pathname) => {
              noteLoad(true);
              const path = sitePathOf(pathname);
              if (path !== null) preview.follow(path);
            }}
            onFailed={() => noteLoad(false)}
          />
        </DeviceFrame>
      </div>
    </section>
  );
}

interface EntryPickerProps {
  readonly path: string;
  readonly onPick: (path: string) => void;
}

/** The preview's address bar: says what is shown and lists every page and post to go to. */
function EntryPicker({ path, onPick }: EntryPickerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const pages = useSWR<Page<EntryItem>>(paths.entries('page'));
  const posts = useSWR<Page<EntryItem>>(paths.entries('post'));
  const current = entryAt(path, [...(pages.data?.items ?? []), ...(posts.data?.items ?? [])]);
  const pick = (picked: string) => {
    setIsOpen(false);
    onPick(picked);
  };
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(open) => {
        setIsOpen(open);
        if (open) void Promise.all([pages.mutate(), posts.mutate()]);
      }}
    >
      <Popover.Trigger className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md border border-rule bg-paper px-2.5 text-left text-sm hover:border-rule-strong">
        <span className="sr-only">{previewStrings.pick}</span>
        {path === '/' && <House aria-hidden className="size-3.5 shrink-0 text-ink-3" />}
        <span className="truncate">{current?.title ?? (path === '/' ? previewStrings.home : readablePath(path))}</span>
        {current && (
          <span className="hidden min-w-0 flex-1 truncate text-xs text-ink-3 @sm:block">{readablePath(path)}</span>
        )}
        <ChevronsUpDown aria-hidden className="ml-auto size-3.5 shrink-0 text-ink-3" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={previewStrings.pick}
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 w-80 animate-rise rounded-xl border border-rule bg-sheet p-1.5 shadow-sheet"
        >
          <EntryList
            lists={{ page: pages.data?.items, post: posts.data?.items }}
            hasFailed={pages.error !== undefined || posts.error !== undefined}
            current={path}
            onPick={pick}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface EntryListProps {
  readonly lists: Readonly<Record<EntryType, readonly EntryItem[] | undefined>>;
  readonly hasFailed: boolean;
  readonly current: string;
  readonly onPick: (path: string) => void;
}

const headings = { page: previewStrings.pages, post: previewStrings.posts };

function EntryList({ lists, hasFailed, current, onPick }: EntryListProps) {
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const groups = (['page', 'post'] as const)
    .map((type) => ({ type, entries: (lists[type] ?? []).filter(({ title }) => title.toLowerCase().includes(wanted)) }))
    .filter(({ entries }) => entries.length > 0);
  return (
    <>
      <input
        type="search"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          const first = groups[0]?.entries[0];
          if (event.key === 'Enter' && !isComposing(event) && wanted !== '' && first) onPick(first.path);
        }}
        aria-label={previewStrings.pickSearch}
        placeholder={previewStrings.pickSearch}
        className="mb-1 h-8 w-full rounded-md bg-ink/5 px-2.5 text-sm outline-none placeholder:text-ink-3 focus-visible:ring-2 focus-visible:ring-accent"
      />
      <div className="max-h-80 overflow-y-auto">
        {groups.length === 0 && (
          <p className="px-2.5 py-3 text-sm text-ink-3">
            {hasFailed ? previewStrings.listFailed : previewStrings.none}
          </p>
        )}
        {groups.map(({ type, entries }) => (
          <section key={type} aria-label={headings[type]}>
            <h3 className="px-2.5 pt-2 pb-1 text-xs text-ink-3">{headings[type]}</h3>
            <ul>
              {entries.map((entry) => (
                <EntryRow
                  key={entry.id}
                  entry={entry}
                  isCurrent={entry.path === current}
                  onPick={() => onPick(entry.path)}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}

interface EntryRowProps {
  readonly entry: EntryItem;
  readonly isCurrent: boolean;
  readonly onPick: () => void;
}

function EntryRow({ entry, isCurrent, onPick }: EntryRowProps) {
  return (
    <li>
      <button
        type="button"
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onPick}
        className="flex w-full items-baseline gap-2 rounded-md px-2.5 py-1.5 text-left text-sm hover:bg-ink/6 aria-[current]:text-accent"
      >
        <span className="min-w-0 flex-1 truncate">{entry.title}</span>
        {entry.status !== 'published' && (
          <span className="text-2xs text-ink-3">{previewStrings.statuses[entry.status]}</span>
        )}
      </button>
    </li>
  );
}

const modes: Record<PreviewMode, string> = { draft: previewStrings.draft, published: previewStrings.published };

const icons = { desktop: Monitor, tablet: Tablet, phone: Smartphone };

interface DeviceSwitchProps {
  readonly device: PreviewDevice;
  readonly onChange: (device: PreviewDevice) => void;
}

/** The screen that the preview pretends to have; the chosen one again goes back to the width that is there. */
function DeviceSwitch({ device, onChange }: DeviceSwitchProps) {
  return (
    <ToggleGroup.Root
      type="single"
      value={device}
      aria-label={previewStrings.device}
      onValueChange={(value) => onChange(previewDevices.find((known) => known === value) ?? 'fit')}
      className="flex shrink-0 max-[899px]:hidden"
    >
      {(['desktop', 'tablet', 'phone'] as const).map((value) => {
        const Icon = icons[value];
        return (
          <Tip key={value} text={previewStrings.devices[value]}>
            <ToggleGroup.Item
              value={value}
              aria-label={previewStrings.devices[value]}
              className="inline-flex size-8 items-center justify-center rounded-md text-ink-3 transition-colors hover:bg-ink/6 hover:text-ink data-[state=on]:bg-ink/6 data-[state=on]:text-accent [&_svg]:size-[1.05rem] [&_svg]:stroke-[1.75]"
            >
              <Icon aria-hidden />
            </ToggleGroup.Item>
          </Tip>
        );
      })}
    </ToggleGroup.Root>
  );
}

const HistoryDialog = fetchedLater(async () => (await import('#components/chat/preview/history-dialog')).HistoryDialog);

interface HistoryButtonProps {
  /** Path on the site that the preview shows. */
  readonly path: string;
}

/** Opens the earlier versions of the page that is shown. */
function HistoryButton({ path }: HistoryButtonProps) {
  /** The page that was shown when it was asked for: the preview may go on to another one meanwhile. */
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <>
      <IconButton label={changesStrings.history.open} icon={<History aria-hidden />} onClick={() => setOpened(path)} />
      {opened !== null && <HistoryDialog path={opened} onClose={() => setOpened(null)} />}
    </>
  );
}
