<?php
define('DB_NAME', 'wp');
define('DB_USER', 'wp');
define('DB_PASSWORD', 'wp');
define('DB_HOST', 'localhost:' . getenv('PEER_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
// Application passwords are allowed without https only here.
define('WP_ENVIRONMENT_TYPE', 'local');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_HOME', getenv('PEER_URL'));
define('WP_SITEURL', getenv('PEER_URL'));
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define($name . '_KEY', 'of a test ' . $name);
    define($name . '_SALT', 'salt of a test ' . $name);
}
if (getenv('PEER_MULTISITE')) {
    define('MULTISITE', true);
    define('SUBDOMAIN_INSTALL', false);
    define('DOMAIN_CURRENT_SITE', parse_url(getenv('PEER_URL'), PHP_URL_HOST) . ':' . parse_url(getenv('PEER_URL'), PHP_URL_PORT));
    define('PATH_CURRENT_SITE', '/');
    define('SITE_ID_CURRENT_SITE', 1);
    define('BLOG_ID_CURRENT_SITE', 1);
}
$table_prefix = 'wp_';
define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
