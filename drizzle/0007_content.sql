CREATE TABLE `asset_files` (
	`hash` text PRIMARY KEY NOT NULL,
	`data` blob NOT NULL,
	`thumbnail` blob NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `assets` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`filename` text NOT NULL,
	`media_type` text NOT NULL,
	`size` integer NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`alt` text DEFAULT '' NOT NULL,
	`tags` text NOT NULL,
	`revision` integer NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`hash`) REFERENCES `asset_files`(`hash`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `assets_created` ON `assets` (`created_at`);--> statement-breakpoint
CREATE INDEX `assets_hash` ON `assets` (`hash`);--> statement-breakpoint
CREATE TABLE `mcp_servers` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`transport` text NOT NULL,
	`policy` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mcp_servers_name_unique` ON `mcp_servers` (`name`);--> statement-breakpoint
CREATE TABLE `redirects` (
	`from_path` text PRIMARY KEY NOT NULL,
	`target_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`target_id`) REFERENCES `entries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `redirects_target` ON `redirects` (`target_id`);--> statement-breakpoint
DROP INDEX `entries_type_updated`;--> statement-breakpoint
ALTER TABLE `entries` ADD `published_title` text GENERATED ALWAYS AS (json_extract(published, '$.title')) VIRTUAL;--> statement-breakpoint
ALTER TABLE `entries` ADD `parent_id` text GENERATED ALWAYS AS (json_extract(draft, '$.parent')) VIRTUAL;--> statement-breakpoint
ALTER TABLE `entries` ADD `published_parent_id` text GENERATED ALWAYS AS (json_extract(published, '$.parent')) VIRTUAL;--> statement-breakpoint
CREATE INDEX `entries_type_created` ON `entries` (`type`,`created_at`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `entries_type_published` ON `entries` (`type`,case when published_at is null then 8640000000000000 else published_at end,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `entries_type_title` ON `entries` (`type`,title collate nocase,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `entries_type_published_title` ON `entries` (`type`,published_title collate nocase,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `entries_parent` ON `entries` (`parent_id`) WHERE parent_id is not null;--> statement-breakpoint
CREATE INDEX `entries_published_parent` ON `entries` (`published_parent_id`) WHERE published_parent_id is not null;--> statement-breakpoint
CREATE INDEX `entries_deleted` ON `entries` (`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX `entries_type_updated` ON `entries` (`type`,`updated_at`,`id`) WHERE deleted_at is null;--> statement-breakpoint
ALTER TABLE `approvals` ADD `effect` text;--> statement-breakpoint
ALTER TABLE `queued_messages` ADD `approval_policy` text DEFAULT 'ask' NOT NULL;--> statement-breakpoint
ALTER TABLE `revisions` ADD `approval_id` text;--> statement-breakpoint
ALTER TABLE `revisions` ADD `undoes` text;--> statement-breakpoint
CREATE INDEX `revisions_turn` ON `revisions` (`turn_id`,`seq`);--> statement-breakpoint
CREATE INDEX `revisions_actor` ON `revisions` (`actor`,`seq`);--> statement-breakpoint
CREATE INDEX `revisions_target_type` ON `revisions` (`target_type`,`seq`);--> statement-breakpoint
CREATE INDEX `revisions_undone_by` ON `revisions` (`undone_by`) WHERE undone_by is not null;--> statement-breakpoint
ALTER TABLE `sessions` ADD `loaded_tools` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `turns` ADD `approval_policy` text DEFAULT 'ask' NOT NULL;