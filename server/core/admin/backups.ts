import { z } from 'zod';
import { components, count, idOf, time } from '#server/core/shapes';

/** A copy of the database that waits for its download. */
export const preparedBackupSchema = z
  .strictObject({
    id: idOf('bak'),
    bytes: count.describe('Size of the file'),
    expiresAt: time.describe('When the copy is deleted, unless it is downloaded before; epoch milliseconds'),
  })
  .register(components, { id: 'PreparedBackup' });
