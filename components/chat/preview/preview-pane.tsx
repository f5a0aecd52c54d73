'use client';

import {
  Ellipsis,
  ExternalLink,
  Fullscreen,
  History,
  Link2,
  Monitor,
  MoveHorizontal,
  PanelRightClose,
  Redo2,
  RotateCw,
  Search,
  Settings2,
  Share2,
  Smartphone,
  Tablet,
  Undo2,
} from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { translator } from '#components/i18n.ts';
import { EntryPicker } from '#components/chat/preview/entry-picker';
import { afterMenu, Menu } from '#components/ui/menus';
import { MenuChoice, MenuChoices, MenuItem } from '#components/ui/menu-rows';
import { useMayDraft } from '#components/access/access-client.ts';
import { useReloadWhenBack } from '#components/api/use-connection.ts';
import { ThemeNote } from '#components/chat/preview/theme-note';
import { DeviceFrame } from '#components/chat/preview/device-frame';
import { PreviewFrame } from '#components/chat/preview/preview-frame';
import type { Preview } from '#components/chat/preview/preview-view.ts';
import { useEntryAt } from '#components/workspace/entries.ts';
import { type PreviewDevice, previewDevices, type PreviewTheme } from '#components/workspace/layout-preferences.ts';
import { pageAddress } from '#components/workspace/navigation.ts';
import { readablePath, sitePathOf } from '#components/workspace/preview-path.ts';
import { usePreviewHref, useSites } from '#components/workspace/site-of-page';
import { focusSections } from '#components/editor/page/focus-sections.ts';
import { EditorPanels, usePanels } from '#components/editor/panels/editor-panels';
import { PanelActionsProvider, usePanelActions } from '#components/editor/actions/panel-actions.ts';
import { useUndoRedo } from '#components/editor/actions/undo-redo-provider';
import { OutlineButton } from '#components/editor/panels/outline-button';
import { Switch } from '#components/ui/controls/choices';
import { Button, IconButton } from '#components/ui/buttons';
import { PastBanner } from '#components/history/past-banner';
import { ScheduleControl } from '#components/editor/page/schedule-control';
import { PreviewLinkDialog } from '#components/editor/page/preview-link-dialog';
import { usePageStateMenu } from '#components/editor/page/page-state-menu';
import { PageStatus } from '#components/editor/page/page-status';
import { HistoryDialog } from '#components/chat/preview/history-dialog';
import { ToastPlace } from '#components/ui/dialogs/toasts';
import { useIsTouched, useOpened } from '#components/ui/hooks.ts';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('preview');
const tShared = translator('shared');

interface PreviewPaneProps {
  readonly preview: Preview;
  readonly device: PreviewDevice;
  readonly onDevice: (device: PreviewDevice) => void;
  readonly onTheme: (theme: PreviewTheme) => void;
  readonly onHide: () => void;
  /** Moves the focus to the message field. */
  readonly onAsk: () => void;
}

/** The site next to the conversation: the page being edited, as a draft or as published. */
export function PreviewPane({ preview, device, onDevice, onTheme, onHide, onAsk }: PreviewPaneProps) {
  const previewHref = usePreviewHref();
  const href = previewHref(preview.path, preview.mode, preview.point?.changeId);
  const noteLoad = useReloadWhenBack(preview.reload);
  const isTouched = useIsTouched();
  const entry = useEntryAt(preview.path);
  // Stays true after the first page that can be scheduled, so that the dialog stays open while the preview shows
  // another page.
  const [hasSchedule, setHasSchedule] = useState(false);
  if (!hasSchedule && entry && (entry.status !== 'published' || entry.publishAt !== null)) setHasSchedule(true);
  const [isPointing, setIsPointing] = useState(true);
  const [design, setDesign] = useState<string | null>(null);
  /** True for the current draft; an earlier state is read-only. */
  const isDraft = preview.mode === 'draft' && preview.point === null;
  const panels = usePanels(preview.path, isDraft);
  return (
    <PanelActionsProvider value={panels.actions}>
      <section aria-label={t('label')} className="@container flex h-full min-w-0 flex-col">
        {isDraft && isTouched && (
          <button
            type="button"
            onClick={() => focusSections()}
            className="sr-only focus-visible:not-sr-only focus-visible:px-3 focus-visible:py-1.5 focus-visible:text-left focus-visible:text-sm"
          >
            {t('skip')}
          </button>
        )}
        {/* Narrow gaps on a phone: one more person on the page leaves the bar one row. */}
        <header className="flex min-h-13 shrink-0 flex-wrap items-center gap-1 border-b border-rule px-2 max-[430px]:gap-0.5 pt-2.5 pb-[9px]">
          <EntryPicker path={preview.path} onPick={preview.browse} />
          {/* These elements appear and disappear; the picker next to them shrinks, so that nothing else moves. */}
          {isDraft && isTouched && <PageStatus path={preview.path} />}
          {hasSchedule && isTouched && <ScheduleControl path={preview.path} isNow={preview.point === null} />}
          <Switch
            label={t('mode')}
            value={preview.mode}
            choices={{ draft: t('draft'), published: t('published') }}
            onChange={preview.setMode}
          />
          <DeviceMenu device={device} onChange={onDevice} />
          {isDraft && <OutlineButton path={preview.path} isPointing={isPointing} onPointing={setIsPointing} />}
          <MoreMenu
            path={preview.path}
            href={href}
            isDraft={isDraft}
            onReload={preview.reload}
            onDeleted={() => preview.browse('/')}
          />
          <IconButton
            label={t('hide')}
            icon={<PanelRightClose aria-hidden />}
            onClick={onHide}
            className="max-[899px]:hidden"
          />
        </header>
        {preview.mode === 'published' && preview.point === null && (
          <DraftNote path={preview.path} onShow={() => preview.setMode('draft')} />
        )}
        {preview.point !== null && (
          <PastBanner
            point={preview.point}
            path={preview.path}
            title={readablePath(preview.path)}
            onShowPoint={(point) => preview.showPoint(point)}
          />
        )}
        {isDraft && design !== null && (
          <ThemeNote
            design={design}
            onTheme={(wanted) => {
              onTheme(wanted);
              preview.reload();
            }}
          />
        )}
        <div className="flex min-h-0 flex-1 flex-col @min-[46rem]:flex-row">
          <div className="min-h-0 min-w-0 flex-1">
            <DeviceFrame device={device}>
              <PreviewFrame
                src={href}
                sectionIds={isDraft ? preview.sectionIds : []}
                version={preview.version}
                title={preview.path}
                onNavigated={(pathname, shownAs) => {
                  noteLoad(true);
                  setDesign(shownAs);
                  const path = sitePathOf(pathname);
                  if (path !== null) preview.follow(path);
                }}
                onFailed={() => noteLoad(false)}
                editedPath={isPointing && isDraft ? preview.path : null}
                onAsk={onAsk}
              />
            </DeviceFrame>
          </div>
          <EditorPanels panels={panels} path={preview.path} onGo={preview.goTo} />
        </div>
        <ToastPlace rank="beside" />
      </section>
    </PanelActionsProvider>
  );
}

interface DraftNoteProps {
  readonly path: string;
  readonly onShow: () => void;
}

/** Notice that visitors see no page, or one that is older than its draft, with a button that shows the draft. */
function DraftNote({ path, onShow }: DraftNoteProps) {
  const current = useEntryAt(path);
  const isHidden = current !== undefined && current.status !== 'published';
  return (
    <output className="block text-sm">
      {isHidden && (
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-rule bg-accent-wash px-3 py-1.5">
          <span className="min-w-0 flex-1">{current.status === 'draft' ? t('onlyDraft') : t('inDraft')}</span>
          <Button onClick={onShow} className="h-7!">
            {t('showDraft')}
          </Button>
        </span>
      )}
    </output>
  );
}

/** Copies the address that opens a page of the site in this workspace. */
async function copyAddress(path: string, siteId: string | null): Promise<void> {
  try {
    // Undefined on a page served over plain HTTP.
    await navigator.clipboard.writeText(new URL(pageAddress(path, siteId), window.location.href).href);
    toast(tShared('common.copied'));
  } catch {
    toast.error(tShared('common.copyFailed'));
  }
}

const icons = { full: Fullscreen, desktop: Monitor, tablet: Tablet, phone: Smartphone, fit: MoveHorizontal };

interface DeviceMenuProps {
  readonly device: PreviewDevice;
  readonly onChange: (device: PreviewDevice) => void;
}

/** Menu for the simulated screen size. */
function DeviceMenu({ device, onChange }: DeviceMenuProps) {
  const Current = icons[device];
  return (
    <Menu
      trigger={
        <IconButton
          label={`${t('device')}: ${t(`devices.${device}`)}`}
          icon={<Current aria-hidden />}
          className="max-[899px]:hidden"
        />
      }
    >
      <MenuChoices
        value={device}
        onValueChange={(value) => onChange(previewDevices.find((known) => known === value) ?? 'fit')}
      >
        {(['fit', 'full', 'desktop', 'tablet', 'phone'] as const).map((value) => {
          const Icon = icons[value];
          return (
            <MenuChoice key={value} value={value}>
              <Icon aria-hidden />
              {t(`devices.${value}`)}
            </MenuChoice>
          );
        })}
      </MenuChoices>
    </Menu>
  );
}

interface MoreMenuProps {
  /** Path on the site that the preview shows. */
  readonly path: string;
  /** Its address for a separate tab. */
  readonly href: string;
  readonly isDraft: boolean;
  readonly onReload: () => void;
  /** Called once the page is in the trash. */
  readonly onDeleted: () => void;
}

/**
 * Menu of the displayed page: its settings, undo, redo and preview links for users who may change its draft; earlier
 * versions; reload; separate tab; the published site; and what hides or deletes the page for users who may publish.
 */
function MoreMenu({ path, href, isDraft, onReload, onDeleted }: MoreMenuProps) {
  /** The page at the time when the dialog was opened: the preview may show another one later. */
  const [history, setHistory] = useState<string | null>(null);
  const sharing = useOpened<EntryItem>();
  const entry = useEntryAt(path);
  const sites = useSites();
  const mayDraft = useMayDraft();
  const { openSettings, setFinding } = usePanelActions();
  const undoRedo = useUndoRedo();
  const state = usePageStateMenu(entry, onDeleted);
  return (
    <>
      <Menu trigger={<IconButton label={t('more')} icon={<Ellipsis aria-hidden />} />}>
        {mayDraft && isDraft && (
          <MenuItem onSelect={() => afterMenu(openSettings)}>
            <Settings2 aria-hidden />
            {tShared('page.settings')}
          </MenuItem>
        )}
        {isDraft && (
          <MenuItem onSelect={() => afterMenu(() => setFinding(true))}>
            <Search aria-hidden />
            {tShared('page.find')}
          </MenuItem>
        )}
        {mayDraft && (
          <>
            <MenuItem onSelect={() => undoRedo?.undo()}>
              <Undo2 aria-hidden />
              {tShared('page.undo')}
            </MenuItem>
            <MenuItem onSelect={() => undoRedo?.redo()}>
              <Redo2 aria-hidden />
              {tShared('page.redo')}
            </MenuItem>
          </>
        )}
        {mayDraft && entry && (
          <MenuItem onSelect={() => afterMenu(() => sharing.open(entry))}>
            <Share2 aria-hidden />
            {tShared('page.share')}
          </MenuItem>
        )}
        <MenuItem onSelect={() => afterMenu(() => setHistory(path))}>
          <History aria-hidden />
          {tShared('page.history')}
        </MenuItem>
        <MenuItem onSelect={onReload}>
          <RotateCw aria-hidden />
          {t('reload')}
        </MenuItem>
        <MenuItem onSelect={() => void copyAddress(path, sites.items.length > 1 ? sites.currentId : null)}>
          <Link2 aria-hidden />
          {t('copyAddress')}
        </MenuItem>
        <MenuItem onSelect={() => window.open(href, '_blank', 'noopener')}>
          <ExternalLink aria-hidden />
          {t('openTab')}
        </MenuItem>
        {state.items}
      </Menu>
      {state.dialogs}
      {sharing.opened && <PreviewLinkDialog entry={sharing.opened.target} onClose={sharing.close} />}
      {history !== null && <HistoryDialog path={history} onClose={() => setHistory(null)} />}
    </>
  );
}
