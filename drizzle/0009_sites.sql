CREATE TABLE `call_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`user_id` text NOT NULL,
	`tool_name` text NOT NULL,
	`input` text NOT NULL,
	`input_hash` text NOT NULL,
	`effect` text,
	`status` text NOT NULL,
	`reason` text,
	`decided_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `call_requests_user_created` ON `call_requests` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `call_requests_hash` ON `call_requests` (`input_hash`,`created_at`);--> statement-breakpoint
CREATE TABLE `import_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`site_id` text DEFAULT 'embedded' NOT NULL,
	`user_id` text,
	`filename` text NOT NULL,
	`format` text NOT NULL,
	`status` text NOT NULL,
	`done` integer NOT NULL,
	`total` integer NOT NULL,
	`report` text NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `import_runs_created` ON `import_runs` (`site_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `imported_items` (
	`site_id` text DEFAULT 'embedded' NOT NULL,
	`source` text NOT NULL,
	`source_key` text NOT NULL,
	`local_id` text NOT NULL,
	`hash` text NOT NULL,
	`revision` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`site_id`, `source`, `source_key`)
);
--> statement-breakpoint
CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `remote_links` (
	`site_id` text NOT NULL,
	`kind` text NOT NULL,
	`local_id` text NOT NULL,
	`remote_id` integer NOT NULL,
	`known` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`site_id`, `local_id`),
	FOREIGN KEY (`site_id`) REFERENCES `wordpress_sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `remote_links_remote` ON `remote_links` (`site_id`,`kind`,`remote_id`);--> statement-breakpoint
CREATE TABLE `wordpress_sites` (
	`id` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`username` text NOT NULL,
	`password` text NOT NULL,
	`name` text NOT NULL,
	`is_active` integer NOT NULL,
	`abilities` text NOT NULL,
	`pulled_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `wordpress_sites_url_unique` ON `wordpress_sites` (`url`);--> statement-breakpoint
DROP INDEX `assets_created`;--> statement-breakpoint
ALTER TABLE `assets` ADD `site_id` text DEFAULT 'embedded' NOT NULL;--> statement-breakpoint
CREATE INDEX `assets_created` ON `assets` (`site_id`,`created_at`);--> statement-breakpoint
DROP INDEX `entries_type_slug`;--> statement-breakpoint
DROP INDEX `entries_type_published_slug`;--> statement-breakpoint
DROP INDEX `entries_type_updated`;--> statement-breakpoint
DROP INDEX `entries_type_created`;--> statement-breakpoint
DROP INDEX `entries_type_published`;--> statement-breakpoint
DROP INDEX `entries_type_title`;--> statement-breakpoint
DROP INDEX `entries_type_published_title`;--> statement-breakpoint
DROP INDEX `entries_deleted`;--> statement-breakpoint
ALTER TABLE `entries` ADD `site_id` text DEFAULT 'embedded' NOT NULL;--> statement-breakpoint
ALTER TABLE `entries` ADD `publish_at` integer;--> statement-breakpoint
CREATE INDEX `entries_publish_at` ON `entries` (`site_id`,`publish_at`) WHERE publish_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `entries_type_slug` ON `entries` (`site_id`,`type`,`slug`) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX `entries_type_published_slug` ON `entries` (`site_id`,`type`,`published_slug`) WHERE deleted_at is null and published_slug is not null;--> statement-breakpoint
CREATE INDEX `entries_type_updated` ON `entries` (`site_id`,`type`,`updated_at`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `entries_type_created` ON `entries` (`site_id`,`type`,`created_at`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `entries_type_published` ON `entries` (`site_id`,`type`,case when published_at is null then 8640000000000000 else published_at end,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `entries_type_title` ON `entries` (`site_id`,`type`,title collate nocase,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `entries_type_published_title` ON `entries` (`site_id`,`type`,published_title collate nocase,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `entries_deleted` ON `entries` (`site_id`,`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
DROP INDEX `revisions_target`;--> statement-breakpoint
DROP INDEX `revisions_session`;--> statement-breakpoint
DROP INDEX `revisions_turn`;--> statement-breakpoint
DROP INDEX `revisions_actor`;--> statement-breakpoint
DROP INDEX `revisions_target_type`;--> statement-breakpoint
ALTER TABLE `revisions` ADD `site_id` text DEFAULT 'embedded' NOT NULL;--> statement-breakpoint
CREATE INDEX `revisions_target` ON `revisions` (`site_id`,`target_id`,`seq`);--> statement-breakpoint
CREATE INDEX `revisions_session` ON `revisions` (`site_id`,`session_id`,`seq`);--> statement-breakpoint
CREATE INDEX `revisions_turn` ON `revisions` (`site_id`,`turn_id`,`seq`);--> statement-breakpoint
CREATE INDEX `revisions_actor` ON `revisions` (`site_id`,`actor`,`seq`);--> statement-breakpoint
CREATE INDEX `revisions_target_type` ON `revisions` (`site_id`,`target_type`,`seq`);--> statement-breakpoint
ALTER TABLE `redirects` ADD `site_id` text DEFAULT 'embedded' NOT NULL;--> statement-breakpoint
ALTER TABLE `site_documents` ADD `site_id` text DEFAULT 'embedded' NOT NULL;