import { fieldWords, kindWords } from '#components/editor/model/field-words.ts';
import { FormFields } from '#components/editor/panels/form-fields';
import { sectionForm } from '#components/editor/model/form-model.ts';
import { type PageEditor, usePageEditor } from '#components/editor/model/page-editor.ts';
import { Panel, FocusedFieldReport } from '#components/editor/panels/panel';
import { panelStrings } from '#components/editor/words.ts';
import { LoadingBlock, Notice } from '#components/ui/notices';
import type { Section } from '#server/core/site/content';

const texts = panelStrings;

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
    <Panel key={sectionId} title={section ? kindWords[section.type].name : texts.panel} state={state} onClose={onClose}>
      {section ? (
        <SectionFields section={section} editor={editor} />
      ) : state.document === null ? (
        <LoadingBlock label={texts.loading} />
      ) : (
        <Notice title={texts.gone} action={{ label: texts.close, run: onClose }} />
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
        words={(name) => fieldWords(type, name)}
        write={(field, value) => editor.setValue({ sectionId: id, field }, value)}
      />
    </FocusedFieldReport>
  );
}
