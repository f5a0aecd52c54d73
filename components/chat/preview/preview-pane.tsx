'use client';

import { ExternalLink, PanelRightClose, RotateCw } from 'lucide-react';
import { DeviceFrame } from '#components/chat/preview/device-frame';
import { DeviceSwitch } from '#components/chat/preview/device-switch';
import { EntryPicker } from '#components/chat/preview/entry-picker';
import { HistoryButton } from '#components/chat/preview/history-button';
import { ModeSwitch } from '#components/chat/preview/mode-switch';
import { PreviewFrame } from '#components/chat/preview/preview-frame';
import { fetchedLater } from '#components/ui/fetched-later';
import { IconButton } from '#components/ui/icon-button';
import { useReloadWhenBack } from '#lib/api/use-reload-when-back';
import type { PreviewDevice } from '#lib/desk/layout-preferences';
import { previewHref, sitePathOf } from '#lib/preview/preview-path';
import { strings } from '#lib/strings';
import type { Preview } from '#lib/preview/use-preview';

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
    <section aria-label={strings.preview.label} className="@container flex h-full min-w-0 flex-col">
      <header className="flex min-h-13 shrink-0 flex-wrap items-center gap-1.5 border-b border-rule px-2 pt-2.5 pb-[9px]">
        <EntryPicker path={preview.path} onPick={preview.goTo} />
        <ModeSwitch mode={preview.mode} onChange={preview.setMode} />
        <DeviceSwitch device={device} onChange={onDevice} />
        <PlanControl path={preview.path} />
        <HistoryButton path={preview.path} />
        <IconButton
          label={strings.preview.reload}
          icon={<RotateCw aria-hidden />}
          onClick={preview.reload}
          className="@max-md:hidden"
        />
        <IconButton
          label={strings.preview.openTab}
          icon={<ExternalLink aria-hidden />}
          onClick={() => window.open(href, '_blank', 'noopener')}
        />
        <IconButton
          label={strings.preview.hide}
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
