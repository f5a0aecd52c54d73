import { defineConfig } from 'drizzle-kit';

export default defineConfig({ dialect: 'sqlite', schema: './server/platform/database/schema/*.ts', out: './drizzle' });
