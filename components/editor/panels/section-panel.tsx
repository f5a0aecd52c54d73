import { fieldLabels, kindName } from '#components/editor/model/field-labels.ts';
import { FormFields } from '#components/editor/panels/form-fields';
import { sectionForm } from '#components/editor/model/form-model.ts';
import { type PageEditor, usePageEditor } from '#components/editor/model/page-editor.ts';
import { Panel, FocusedFieldReport } from '#components/editor/panels/panel';
import { translator } from '#components/i18n.ts';
import { LoadingBlock, Notice } from '#components/ui/notices';
import type { Section } from '#server/core/site/content';

const t = translator('sectionPanel');

interface SectionPanelProps {
  /** Path of the displayed page. */
  readonly path: string;
  readonly sectionId: string;
  readonly onClose: () => void;
}

/** All editable fields of a section, next to the page; each change is saved automatically. */
export function SectionPanel({ path, sectionId, onClose }: SectionPanelProps) {
  const { editor, state } = usePageEditor(path);
  const section = state.document?.sections.find(({ id }) => id === sectionId);
  return (
    <Panel key={sectionId} title={section ? kindName(section.type) : t('panel')} state={state} onClose={onClose}>
      {section ? (
        <SectionFields section={section} editor={editor} />
      ) : state.document === null ? (
        <LoadingBlock label={t('loading')} />
      ) : (
        <Notice title={t('gone')} action={{ label: t('close'), run: onClose }} />
      )}
    </Panel>
  );
}

function SectionFields({ section, editor }: { readonly section: Section; readonly editor: PageEditor }) {
  const { id, type, fields } = section;
  return (
    <FocusedFieldReport editor={editor} sectionId={id}>
      <FormFields
        fields={sectionForm(type)}
        values={fields}
        labels={(name) => fieldLabels(type, name)}
        write={(field, value) => editor.setValue({ sectionId: id, field }, value)}
      />
    </FocusedFieldReport>
  );
}
