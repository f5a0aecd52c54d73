PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_assets` (
	`id` text PRIMARY KEY NOT NULL,
	`site_id` text DEFAULT 'embedded' NOT NULL,
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
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_assets`("id", "site_id", "hash", "filename", "media_type", "size", "width", "height", "alt", "tags", "revision", "deleted_at", "created_at", "updated_at") SELECT "id", "site_id", "hash", "filename", "media_type", "size", "width", "height", "alt", "tags", "revision", "deleted_at", "created_at", "updated_at" FROM `assets`;--> statement-breakpoint
DROP TABLE `assets`;--> statement-breakpoint
ALTER TABLE `__new_assets` RENAME TO `assets`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `assets_created` ON `assets` (`site_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `assets_hash` ON `assets` (`hash`);--> statement-breakpoint
CREATE TABLE `__new_redirects` (
	`site_id` text DEFAULT 'embedded' NOT NULL,
	`from_path` text NOT NULL,
	`target_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`site_id`, `from_path`),
	FOREIGN KEY (`target_id`) REFERENCES `entries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_redirects`("site_id", "from_path", "target_id", "created_at") SELECT "site_id", "from_path", "target_id", "created_at" FROM `redirects`;--> statement-breakpoint
DROP TABLE `redirects`;--> statement-breakpoint
ALTER TABLE `__new_redirects` RENAME TO `redirects`;--> statement-breakpoint
CREATE INDEX `redirects_target` ON `redirects` (`target_id`);--> statement-breakpoint
CREATE TABLE `__new_site_documents` (
	`site_id` text DEFAULT 'embedded' NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`revision` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`site_id`, `key`)
);
--> statement-breakpoint
INSERT INTO `__new_site_documents`("site_id", "key", "value", "revision", "updated_at") SELECT "site_id", "key", "value", "revision", "updated_at" FROM `site_documents`;--> statement-breakpoint
DROP TABLE `site_documents`;--> statement-breakpoint
ALTER TABLE `__new_site_documents` RENAME TO `site_documents`;