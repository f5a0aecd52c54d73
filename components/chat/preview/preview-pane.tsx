'use client';

import { ExternalLink, PanelRightClose, RotateCw } from 'lucide-react';
import { EntryPicker } from '#components/chat/preview/entry-picker';
import { ModeSwitch } from '#components/chat/preview/mode-switch';
import { PreviewFrame } from '#components/chat/preview/preview-frame';
import { IconButton } from '#components/ui/icon-button';
import { previewHref, sitePathOf } from '#lib/preview-path';
import { strings } from '#lib/strings';
import type { Preview } from '#lib/use-preview';

interface PreviewPaneProps {
  readonly preview: Preview;
  readonly onHide: () => void;
}

/** The site beside the conversation: the page being edited, as a draft or as published. */
export function PreviewPane({ preview, onHide }: PreviewPaneProps) {
  const href = previewHref(preview.path, preview.mode);
  return (
    <section aria-label={strings.preview.label} className="@container flex h-full min-w-0 flex-col">
      <header className="flex h-13 shrink-0 items-center gap-1.5 border-b border-rule px-2">
        <EntryPicker path={preview.path} homeSlug={preview.homeSlug} onPick={preview.goTo} />
        <ModeSwitch mode={preview.mode} onChange={preview.setMode} />
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
        <PreviewFrame
          src={href}
          sectionId={preview.sectionId}
          version={preview.version}
          title={preview.path}
          onNavigated={(pathname) => {
            const path = sitePathOf(pathname);
            if (path !== null) preview.follow(path);
          }}
        />
      </div>
    </section>
  );
}
