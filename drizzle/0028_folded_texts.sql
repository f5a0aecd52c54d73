ALTER TABLE `assets` ADD `folded` text;--> statement-breakpoint
ALTER TABLE `entries` ADD `folded` text;