import { z } from 'zod';
import { idOf } from '#server/core/shapes';

export const backupParams = z.object({ id: idOf('bak') });
