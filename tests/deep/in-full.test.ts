// What `npm test` takes a sample of: here all of it, drawn anew (see tests/support/deep).
// oxlint-disable import/no-unassigned-import
import '#tests/integration/database-under-fire.test';
import '#tests/integration/edits-together.test';
import '#tests/integration/engine-properties.test';
import '#tests/integration/hostile-requests.test';
