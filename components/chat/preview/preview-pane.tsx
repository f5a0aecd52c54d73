'use client';

import {
  Ellipsis,
  ExternalLink,
  History,
  Monitor,
  MoveHorizontal,
  PanelRightClose,
  Redo2,
  RotateCw,
  Settings2,
  Smartphone,
  Tablet,
  Undo2,
} from 'lucide-react';
import { useState } from 'react';
import { EntryPicker } from '#components/chat/preview/entry-picker';
import { afterMenu, Menu } from '#components/ui/menus';
import { MenuChoice, MenuChoices, MenuItem } from '#components/ui/menu-rows';
import { useMayDraft } from '#components/access/access-client';
import { useReloadWhenBack } from '#components/api/use-connection';
import { DeviceFrame, LookNote, PreviewFrame } from '#components/chat/preview/preview-frame';
import type { Preview } from '#components/chat/preview/preview-view';
import { previewStrings } from '#components/chat/preview/words';
import { askDesk } from '#components/desk/desk-requests';
import { useEntryAt } from '#components/desk/entries';
import { type PreviewDevice, previewDevices, type PreviewLook } from '#components/desk/layout-preferences';
import { readablePath, sitePathOf } from '#components/desk/preview-path';
import { usePreviewHref } from '#components/desk/site-of-page';
import { EditorPanels, OutlineButton } from '#components/editor/editor-panels';
import { Button, IconButton, Switch } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { ToastPlace } from '#components/ui/toasts';
import { useIsTouched } from '#components/ui/hooks';
import { strings } from '#components/words';

const PastBanner = fetchedLater(async () => (await import('#components/thread/past-banner')).PastBanner);
const PlanControl = fetchedLater(async () => (await import('#components/editor/page-tools')).PlanControl);
const PageStatus = fetchedLater(async () => (await import('#components/editor/page-tools')).PageStatus);

interface PreviewPaneProps {
  readonly preview: Preview;
  readonly device: PreviewDevice;
  readonly onDevice: (device: PreviewDevice) => void;
  readonly onLook: (look: PreviewLook) => void;
  readonly onHide: () => void;
}

/** The site beside the conversation: the page being edited, as a draft or as published. */
export function PreviewPane({ preview, device, onDevice, onLook, onHide }: PreviewPaneProps) {
  const previewHref = usePreviewHref();
  const href = previewHref(preview.path, preview.mode, preview.point?.changeId);
  const noteLoad = useReloadWhenBack(preview.reload);
  const isTouched = useIsTouched();
  const entry = useEntryAt(preview.path);
  // From the first page that can be planned: its dialog is left open while the preview goes on to another.
  const [hasPlan, setHasPlan] = useState(false);
  if (!hasPlan && entry && (entry.status !== 'published' || entry.publishAt !== null)) setHasPlan(true);
  const [isPointing, setIsPointing] = useState(true);
  const [look, setLook] = useState<string | null>(null);
  /** True for the draft as it is now: an earlier state is only looked at. */
  const isDraft = preview.mode === 'draft' && preview.point === null;
  return (
    <section aria-label={previewStrings.label} className="@container flex h-full min-w-0 flex-col">
      <header className="flex min-h-13 shrink-0 flex-wrap items-center gap-1 border-b border-rule px-2 pt-2.5 pb-[9px]">
        <EntryPicker path={preview.path} onPick={preview.browse} />
        {/* What comes and goes takes its room from the picker beside it: nothing else moves. */}
        {isDraft && isTouched && <PageStatus path={preview.path} />}
        {hasPlan && isTouched && <PlanControl path={preview.path} isNow={preview.point === null} />}
        <Switch
          label={previewStrings.mode}
          value={preview.mode}
          choices={{ draft: previewStrings.draft, published: previewStrings.published }}
          onChange={preview.setMode}
        />
        <DeviceMenu device={device} onChange={onDevice} />
        {isDraft && <OutlineButton path={preview.path} isPointing={isPointing} onPointing={setIsPointing} />}
        <MoreMenu path={preview.path} href={href} isDraft={isDraft} onReload={preview.reload} />
        <IconButton
          label={previewStrings.hide}
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
          onDraw={(point) => preview.draw(point)}
        />
      )}
      {isDraft && look !== null && (
        <LookNote
          look={look}
          onLook={(wanted) => {
            onLook(wanted);
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
                setLook(shownAs);
                const path = sitePathOf(pathname);
                if (path !== null) preview.follow(path);
              }}
              onFailed={() => noteLoad(false)}
              editedPath={isPointing && isDraft ? preview.path : null}
            />
          </DeviceFrame>
        </div>
        <EditorPanels path={preview.path} isDraft={isDraft} onGo={preview.goTo} />
      </div>
      <ToastPlace rank="beside" />
    </section>
  );
}

interface DraftNoteProps {
  readonly path: string;
  readonly onShow: () => void;
}

/** Says that the page as visitors see it is not what was made of it last, and leads there. */
function DraftNote({ path, onShow }: DraftNoteProps) {
  const current = useEntryAt(path);
  const isHidden = current !== undefined && current.status !== 'published';
  return (
    <output className="block text-sm">
      {isHidden && (
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-rule bg-accent-wash px-3 py-1.5">
          <span className="min-w-0 flex-1">
            {current.status === 'draft' ? previewStrings.onlyDraft : previewStrings.inDraft}
          </span>
          <Button onClick={onShow} className="h-7!">
            {previewStrings.showDraft}
          </Button>
        </span>
      )}
    </output>
  );
}

const icons = { desktop: Monitor, tablet: Tablet, phone: Smartphone, fit: MoveHorizontal };

interface DeviceMenuProps {
  readonly device: PreviewDevice;
  readonly onChange: (device: PreviewDevice) => void;
}

/** The screen that the preview pretends to have. */
function DeviceMenu({ device, onChange }: DeviceMenuProps) {
  const Current = icons[device];
  const { device: label, devices } = previewStrings;
  return (
    <Menu
      trigger={
        <IconButton
          label={`${label}: ${devices[device]}`}
          icon={<Current aria-hidden />}
          className="max-[899px]:hidden"
        />
      }
    >
      <MenuChoices
        value={device}
        onValueChange={(value) => onChange(previewDevices.find((known) => known === value) ?? 'fit')}
      >
        {(['desktop', 'tablet', 'phone', 'fit'] as const).map((value) => {
          const Icon = icons[value];
          return (
            <MenuChoice key={value} value={value}>
              <Icon aria-hidden />
              {devices[value]}
            </MenuChoice>
          );
        })}
      </MenuChoices>
    </Menu>
  );
}

const HistoryDialog = fetchedLater(async () => (await import('#components/chat/preview/history-dialog')).HistoryDialog);

interface MoreMenuProps {
  /** Path on the site that the preview shows. */
  readonly path: string;
  /** Its address in a tab of its own. */
  readonly href: string;
  readonly isDraft: boolean;
  readonly onReload: () => void;
}

/** Menu of the page that is shown: its settings and the way back, for whoever may change its draft, earlier versions, reload, a tab of its own. */
function MoreMenu({ path, href, isDraft, onReload }: MoreMenuProps) {
  /** The page that was shown when it was asked for: the preview may go on to another one meanwhile. */
  const [history, setHistory] = useState<string | null>(null);
  const mayDraft = useMayDraft();
  return (
    <>
      <Menu trigger={<IconButton label={previewStrings.more} icon={<Ellipsis aria-hidden />} />}>
        {mayDraft && isDraft && (
          <MenuItem onSelect={() => afterMenu(() => askDesk('page-settings', null))}>
            <Settings2 aria-hidden />
            {strings.page.settings}
          </MenuItem>
        )}
        {mayDraft && (
          <>
            <MenuItem onSelect={() => askDesk('undo', null)}>
              <Undo2 aria-hidden />
              {strings.page.undo}
            </MenuItem>
            <MenuItem onSelect={() => askDesk('redo', null)}>
              <Redo2 aria-hidden />
              {strings.page.redo}
            </MenuItem>
          </>
        )}
        <MenuItem onSelect={() => afterMenu(() => setHistory(path))}>
          <History aria-hidden />
          {strings.page.history}
        </MenuItem>
        <MenuItem onSelect={onReload}>
          <RotateCw aria-hidden />
          {previewStrings.reload}
        </MenuItem>
        <MenuItem onSelect={() => window.open(href, '_blank', 'noopener')}>
          <ExternalLink aria-hidden />
          {previewStrings.openTab}
        </MenuItem>
      </Menu>
      {history !== null && <HistoryDialog path={history} onClose={() => setHistory(null)} />}
    </>
  );
}
